export const causes: Record<Cause, CauseRow>;
export function causeRow(cause: string): CauseRow;
export function excuseOf(cause: string): string | undefined;
export const causeOfPart: Record<keyof BlockParts, Cause>;
export const OWN_PARTS: (keyof BlockParts)[];
export function ownPartOf(parts: BlockParts): keyof BlockParts;
export function isExcused({ cause, excused }: Pick<Timed, "cause" | "excused">): boolean;
export function ownCauseOf(record: Timed): Cause;
export function timesOf({ cause, durationMs, parts }: Timed): [cause: Cause, ms: number][];
export function othersIn(record: Timed): [cause: Cause, ms: number][];
export function ownMsOf(record: Timed): number;
export function largestOther(record: Timed): [cause: Cause, ms: number] | null;
export function severityOf(record: Pick<BlockRecord, "cause" | "excused" | "durationMs" | "evidence" | "startup" | "threadId">): "info" | "warn" | "error";
export function isOwnBlock(record: {
 cause: Cause;
 excused?: boolean;
 durationMs: number;
 evidence: {
  ownMs?: number;
 };
}): boolean;
export type CauseRow = {
 meaning: string;
 /**
  * the same for people who do not know the names of causes
  */
 phrase: string;
 /**
  * of its blocks that count as this cause and not as `causeOfPart` says
  */
 parts?: (keyof BlockParts)[] | undefined;
 /**
  * in a few words, on dashboards and in tables; docs/causes says more
  */
 remedy?: string | undefined;
 /**
  * what happened, if no line of code is to blame
  */
 excuse?: string | undefined;
 /**
  * of clinic that shows more
  */
 tool: "flame" | "heapprofiler" | null;
 /**
  * the thread computed, so a sampler sees it
  */
 isOnCpu?: boolean | undefined;
 /**
  * JavaScript computed, and interrupts find the line that ran
  */
 isScript?: boolean | undefined;
 /**
  * the thread slept, so CPU time does not measure it
  */
 isAsleep?: boolean | undefined;
 /**
  * one call, which answers nothing before it returns
  */
 isCall?: boolean | undefined;
 /**
  * V8 answers an interrupt only after what blocked has ended
  */
 answersLate?: boolean | undefined;
 /**
  * the line that allocates is to blame, not the one that was interrupted
  */
 blamesAllocation?: boolean | undefined;
 /**
  * one callback took the time
  */
 hasCallback?: boolean | undefined;
 /**
  * the machine or the collector is to blame, and no code
  */
 isExcusedInTests?: boolean | undefined;
 /**
  * in panels: warm if code is to blame, else grey
  */
 color: {
  light: string;
  dark: string;
  grafana: string;
 };
};
export type Cause = "js" | "native" | "gc" | "sync-io" | "many" | "starved" | "suspended" | "unknown";
export type Timed = {
 cause: Cause;
 excused?: boolean;
 durationMs: number;
 parts?: BlockParts;
};
import type { BlockParts } from '../types';
import type { BlockRecord } from '../types';
