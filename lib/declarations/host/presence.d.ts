export function isPresent({ isOwn, isServing, isWorking, ageMs, hasChildren }: Signs): boolean;
export type Signs = {
 isOwn: boolean;
 isServing: boolean;
 isWorking: boolean;
 ageMs: number;
 hasChildren: boolean;
};
/** Watches whether a preloaded process shows itself. Members of a node:cluster do, and what has called start(). */
export class Presence {
 isOn: boolean;
 isOwn: boolean;
 /** Called when one of these changes. @type {() => void} */
 onChange: () => void;
 /** @type {() => boolean} */
 isWorking: () => boolean;
 /** From now on it shows itself. */
 settle(): void;
 stop(): void;
 #private;
}
