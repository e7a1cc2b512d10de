export function start(options?: Options): AnyAgent;
export function startPreloaded(presence?: import("./presence").Presence): AnyAgent;
export function visit(options: Options): AnyAgent;
export function allow<T>(fn: () => T, reason: string): T;
export function expectNoBlocks<T>(fn: () => T, options?: {
 overMs?: number;
}): Promise<Awaited<T>>;
export function run<T>(name: string, fn: () => T, attributes?: Record<string, string | number>): T;
export function wrap<F extends (...args: any[]) => any>(name: string, fn: F): F;
/**
 * in which the agent is started
 */
export type Way = {
 isPreload?: boolean;
 presence?: import("./presence").Presence;
};
export type Agent = import("./agent").Agent;
export type AnyAgent = Agent | NoopAgent;
export type Options = import("../options/table").Options;
import { NoopAgent } from "./noop-agent";
