declare namespace _exports {
 export { JestNode, JestEvent, Environment };
}
declare const _exports: {
 new (config: any, context: any, ...rest: any[]): {
  handleTestEvent?(event: any, state: any): unknown;
 };
 around: (Given: Environment) => Environment;
};
export = _exports;
/**
 * a test, or a group of tests; the outermost has no parent
 */
type JestNode = {
 name: string;
 parent?: JestNode;
};
type JestEvent = {
 name: string;
 test?: JestNode & {
  errors: unknown[];
 };
};
type Environment = new (config: any, context: any, ...rest: any[]) => {
 handleTestEvent?(event: any, state: any): unknown;
};
