declare module 'ejs'
declare module 'luxon'
// Its types are those of an ES module, which tsc does not let CommonJS require.
declare module 'marked'
declare module 'micromatch'
declare module 'papaparse'
declare module 'pngjs'
declare module 'sql.js'
