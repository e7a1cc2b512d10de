/// <reference types="node" />
export function otlpSettings(option: true | string, env: NodeJS.ProcessEnv): {
 signals: Record<"traces" | "metrics" | "logs", SignalSettings | null>;
 attributes: Record<string, string>;
 intervalMs: number;
 faults: string[];
 failures: string[];
};
export type Signal = keyof typeof PATHS;
/**
 * a user and password in the URL become basic authentication
 */
export type SignalSettings = {
 url: string;
 headers: Record<string, string>;
 gzip: boolean;
 timeoutMs: number;
};
export type OtlpSettings = {
 /**
  * null if a signal is not sent
  */
 signals: Record<Signal, SignalSettings | null>;
 /**
  * of the resource, from the environment
  */
 attributes: Record<string, string>;
 /**
  * of metrics
  */
 intervalMs: number;
 /**
  * settings of the environment that are ignored
  */
 faults: string[];
 /**
  * why signals are not sent
  */
 failures: string[];
};
declare namespace PATHS {
 let traces: string;
 let metrics: string;
 let logs: string;
}
export {};
