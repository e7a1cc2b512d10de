export function start(options?: Options): AnyAgent;
export function startOwn(options: Options): AnyAgent;
export function startPreloaded(presence?: Presence): AnyAgent;
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
 isOwn?: boolean;
 presence?: Presence;
};
export type AnyAgent = Agent | NoopAgent;
import type { Options } from '../options/table';
import type { Presence } from './presence';
import type { Agent } from './agent';
import { NoopAgent } from "./noop-agent";
