export const mochaHooks: {
 /** @this {{ currentTest?: Test, timeout: (ms: number) => void }} */
 beforeEach?: undefined;
} | {
 /** @this {{ currentTest?: Test, timeout: (ms: number) => void }} */
 beforeEach(this: {
  currentTest?: Test;
  timeout: (ms: number) => void;
 }): void;
};
export type Test = {
 fn?: Function;
 file?: string;
 titlePath: () => string[];
 timeout: (ms?: number) => any;
};
