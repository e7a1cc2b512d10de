declare namespace _exports {
 export { Environment };
}
declare const _exports: {
 new (config: any, context: any, ...rest: any[]): {
  handleTestEvent?(event: any, state: any): unknown;
 };
 around: (Base: Environment) => Environment;
};
export = _exports;
type Environment = new (config: any, context: any, ...rest: any[]) => {
 handleTestEvent?(event: any, state: any): unknown;
};
