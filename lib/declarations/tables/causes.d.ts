export const causes: Record<Cause, CauseRow>;
export function causeRow(cause: string): CauseRow;
export function excuseOf(cause: string): string | undefined;
export function isOwnBlock({ durationMs, evidence }: {
 durationMs: number;
 evidence: {
  ownMs?: number;
 };
}): boolean;
/**
 * what follows from a cause
 */
export type CauseRow = {
 meaning: string;
 /**
  * the same for people who do not know the causes by name
  */
 phrase: string;
 /**
  * what happened instead, where no line of code is to blame
  */
 excuse?: string | undefined;
 /**
  * of clinic that says more
  */
 tool: "flame" | "heapprofiler" | null;
 /**
  * the thread computed, so a sampler sees it
  */
 isOnCpu?: boolean | undefined;
 /**
  * it was one call, which does not answer before it returns
  */
 isCall?: boolean | undefined;
 /**
  * an interrupt is answered when what blocked is over
  */
 answersLate?: boolean | undefined;
 /**
  * one callback has taken its time
  */
 hasCallback?: boolean | undefined;
 /**
  * it is the work of the machine or the collector, and of no code
  */
 isExcusedInTests?: boolean | undefined;
 /**
  * the same in every panel: code in warm colors, what
  * is not its fault in grey
  */
 color: {
  light: string;
  dark: string;
  grafana: string;
 };
};
export type Cause = "js" | "native" | "gc" | "sync-io" | "many" | "starved" | "suspended" | "unknown";
