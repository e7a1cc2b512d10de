declare module 'd3-flame-graph'
declare module 'd3-selection'
