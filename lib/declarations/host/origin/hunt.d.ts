export function checkHunt(options: unknown): number;
/**
 * blocks that got an origin; why it was refused
 */
export type HuntResult = {
 found: number;
 refused: string | null;
};
