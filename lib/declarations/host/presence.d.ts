export function isPresent({ isOwn, isServing, isWorking, ageMs, hasChildren }: Signs): boolean;
export type Signs = {
 isOwn: boolean;
 isServing: boolean;
 isWorking: boolean;
 ageMs: number;
 hasChildren: boolean;
};
/**
 * Decides whether a preloaded process shows itself. Members of a node:cluster do, and callers of start(). A suite may
 * start a process for each of its files: those of test runners, and the runners, do nothing until their loop is blocked
 * for the first time.
 */
export class Presence {
 isOn: boolean;
 isOwn: boolean;
 /** Called when one of the fields above changes. @type {() => void} */
 onChange: () => void;
 /** @type {() => boolean} */
 isWorking: () => boolean;
 /** Shows the process for good. */
 settle(): void;
 stop(): void;
 #private;
}
