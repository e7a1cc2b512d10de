export function checkHunt(options: unknown): number;
export type HuntResult = {
 /**
  * blocks that were given an origin
  */
 found: number;
 /**
  * why the hunt did not take place
  */
 refused: string | null;
};
