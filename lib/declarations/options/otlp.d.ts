export function otlpSettings(option: true | string, env: NodeJS.ProcessEnv): OtlpSettings;
export type Signal = keyof typeof PATHS;
export type SignalSettings = {
 /**
  * without user and password
  */
 url: string;
 headers: Record<string, string>;
 gzip: boolean;
 timeoutMs: number;
};
export type OtlpSettings = {
 /**
  * null where a signal is not sent
  */
 signals: Record<Signal, SignalSettings | null>;
 /**
  * of the resource, as the environment has them
  */
 attributes: Record<string, string>;
 /**
  * of metrics
  */
 intervalMs: number;
 /**
  * what the environment asks for and gets otherwise
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
