export type ErrorCode = keyof typeof table;
export namespace table {
 function LOOPWATCH_ERR_OPTION(source: string, expected: string, actual: unknown): string;
 function LOOPWATCH_ERR_OPTION_UNKNOWN(key: string, nearest: string): string;
 function LOOPWATCH_ERR_OPTIONS(actual: unknown): string;
 function LOOPWATCH_ERR_ARGUMENT(name: string, expected: string, actual: unknown): string;
 function LOOPWATCH_ERR_BLOCKED({ durationMs, cause, frame }: Pick<BlockRecord, "durationMs" | "cause" | "frame">, overMs: number): string;
 function LOOPWATCH_ERR_UNWATCHED(): string;
 function LOOPWATCH_ERR_BUNDLED(file: string): string;
 function LOOPWATCH_ERR_RUNTIME(runtime: string): string;
 function LOOPWATCH_ERR_SOURCE(source: string, reason: string): string;
 function LOOPWATCH_ERR_RECORDING(file: string, reason: string): string;
 function LOOPWATCH_ERR_ADDRESS(text: string): string;
 function LOOPWATCH_ERR_TOOL(tool: string, hint: string): string;
 function LOOPWATCH_ERR_PROFILER(tool: string): string;
 function LOOPWATCH_ERR_TARGET(command: string): string;
 function LOOPWATCH_ERR_START(reason: string): string;
 function LOOPWATCH_ERR_CLUSTER(tool: string): string;
 function LOOPWATCH_ERR_NO_REPORT(tool: string, reason: string, output: string): string;
 function LOOPWATCH_ERR_ATTACH(pid: number, reason: string): string;
 function LOOPWATCH_ERR_INSPECTOR(pid: number, reason: string): string;
 function LOOPWATCH_ERR_TOOL_ENDED(tool: string, how: string, output: string): string;
 function LOOPWATCH_ERR_PORT(flag: string, port: number): string;
 function LOOPWATCH_ERR_SCENARIO(name: string, names: string[]): string;
 function LOOPWATCH_ERR_SCENARIOS(homepage: string | undefined): string;
 function LOOPWATCH_ERR_VARIANT(name: string, scenario: string, nearest: string): string;
 function LOOPWATCH_ERR_OUTPUT(flag: string, file: string, reason: string): string;
 function LOOPWATCH_ERR_PACKAGES(packages: string[]): string;
 function LOOPWATCH_ERR_COMMAND(command: string | undefined, reason: string): string;
 function LOOPWATCH_ERR_RATCHET(file: string, reason: string): string;
 function LOOPWATCH_ERR_MCP(name: string): string;
 function LOOPWATCH_ERR_DATABASE(reason: string): string;
}
/** Placeholder of a value that a message must not show. */
export const SECRET: unique symbol;
export class LoopwatchError extends Error {
 /** @param {ErrorCode} code @param {string} message @param {{ cause?: unknown }} [options] */
 constructor(code: ErrorCode, message: string, options?: {
  cause?: unknown;
 });
 code: "LOOPWATCH_ERR_OPTION" | "LOOPWATCH_ERR_OPTION_UNKNOWN" | "LOOPWATCH_ERR_OPTIONS" | "LOOPWATCH_ERR_ARGUMENT" | "LOOPWATCH_ERR_BLOCKED" | "LOOPWATCH_ERR_UNWATCHED" | "LOOPWATCH_ERR_BUNDLED" | "LOOPWATCH_ERR_RUNTIME" | "LOOPWATCH_ERR_SOURCE" | "LOOPWATCH_ERR_RECORDING" | "LOOPWATCH_ERR_ADDRESS" | "LOOPWATCH_ERR_TOOL" | "LOOPWATCH_ERR_PROFILER" | "LOOPWATCH_ERR_TARGET" | "LOOPWATCH_ERR_START" | "LOOPWATCH_ERR_CLUSTER" | "LOOPWATCH_ERR_NO_REPORT" | "LOOPWATCH_ERR_ATTACH" | "LOOPWATCH_ERR_INSPECTOR" | "LOOPWATCH_ERR_TOOL_ENDED" | "LOOPWATCH_ERR_PORT" | "LOOPWATCH_ERR_SCENARIO" | "LOOPWATCH_ERR_SCENARIOS" | "LOOPWATCH_ERR_VARIANT" | "LOOPWATCH_ERR_OUTPUT" | "LOOPWATCH_ERR_PACKAGES" | "LOOPWATCH_ERR_COMMAND" | "LOOPWATCH_ERR_RATCHET" | "LOOPWATCH_ERR_MCP" | "LOOPWATCH_ERR_DATABASE";
}
/** @template {ErrorCode} C @param {C} code @param {Parameters<(typeof table)[C]>} args */
export function codedError<C extends ErrorCode>(code: C, ...args: Parameters<(typeof table)[C]>): LoopwatchError;
/**
 * A coded error with the original one as its `cause`, if there is one.
 * @template {ErrorCode} C @param {unknown} cause @param {C} code @param {Parameters<(typeof table)[C]>} args
 */
export function codedErrorFrom<C extends ErrorCode>(cause: unknown, code: C, ...args: Parameters<(typeof table)[C]>): LoopwatchError;
import type { BlockRecord } from '../types';
