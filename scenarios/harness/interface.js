'use strict'

/**
 * The parts of a scenario, as scenarios/README.md explains them. `scenario.js` of each folder exports
 * a Scenario; the modules it names export what runs in the process of a cell.
 *
 * @typedef {'quick' | 'default' | 'full' | 'faithful'} ModeName
 *
 * @typedef {object} Mode
 * @property {number} repeats fresh processes of each cell
 * @property {number} seconds that a cell measures
 * @property {number} warmUpSeconds before it measures
 * @property {string} note one line: what this mode does, and for the original's experiment how long it takes
 *
 * @typedef {Record<string, string | number | boolean>} Params
 *
 * @typedef {object} CellPlan one cell: a way to do the work, with its parameters
 * @property {string} variant the way
 * @property {Params} params
 * @property {string} module absolute path; exports `run(context)`, see CellModule
 * @property {string} [unit] of the sample, where it is not the scenario's
 * @property {'higher' | 'lower'} [better] where it is not the scenario's
 * @property {number} [seconds] in place of the mode's, unless --seconds is given
 * @property {number} [workers] that share the work; for the metric, default 1
 * @property {number} [busy] processes and threads busy at once; more than cores = oversubscribed. Default: workers
 * @property {number} [timeLimitSeconds] of one run beyond its warm-up and seconds, default 30
 * @property {string | null} [skipped] why it cannot run here; null or absent where it can
 * @property {Record<string, unknown>} [data] for the module only: not in the document
 * @property {string[]} [nodeFlags] of the cell's process
 * @property {Record<string, string>} [env] of the cell's process
 *
 * @typedef {object} PlanInput
 * @property {ModeName} mode
 * @property {Record<string, any>} options of the scenario itself, as given
 * @property {import('./measure/environment').Environment} environment
 * @property {boolean} isListing names only are wanted: nothing must be started or built
 *
 * @typedef {object} Column a further column of the table and the report
 * @property {string} title
 * @property {(cell: Cell) => string} text '' where the cell has none
 *
 * @typedef {object} Chart bars, grouped
 * @property {string} title
 * @property {string} unit
 * @property {boolean} [stacked]
 * @property {string} [note] one line below: how to read it
 * @property {{ label: string, bars: { series: string, value: number, low?: number, high?: number, oversubscribed?:
 * boolean }[] }[]} groups
 *
 * @typedef {object} Comparison a further table: the original's next to ours, or a scenario's own
 * @property {string} title
 * @property {string[]} head
 * @property {string[][]} rows
 * @property {string[]} [notes]
 * @property {number} [keep] leading columns that name a row, 1 by default
 *
 * @typedef {object} Scenario
 * @property {string} name that of its folder
 * @property {string} title one line for the list
 * @property {string} unit of samples
 * @property {'higher' | 'lower'} better
 * @property {Record<ModeName, Mode>} modes
 * @property {{ threshold: number } | null} agent of the calling process: its threshold, ms; null = no agent
 * @property {string[]} [packages] npm packages it needs
 * @property {string[]} [optionalPackages] npm packages without which it leaves something out
 * @property {{ flags: string, description: string, parse?: (text: string) => unknown }[]} [options] its own flags, as
 * commander takes them
 * @property {(input: PlanInput) => CellPlan[]} plan
 * @property {(input: PlanInput & { say: (line: string) => void, defer: (end: () => unknown) => void, signal:
 * AbortSignal, cells: CellPlan[] }) => Promise<Record<string, unknown>>} [setup]
 * starts services, builds: what it returns is `context.shared` in every cell and must be JSON; what is given
 * to `defer` runs at the end, the last first, also after a failed setup and after Ctrl-C
 * @property {(shared: Record<string, unknown>) => Promise<void>} [teardown] before what was deferred; gets {} where
 * setup failed
 * @property {(cell: CellPlan, shared: Record<string, unknown>) => Promise<void>} [before] each run of a cell
 * @property {(cell: CellPlan, shared: Record<string, unknown>) => Promise<void>} [after] each run, whatever came of it
 * @property {Column[]} [columns]
 * @property {(document: Document) => Comparison[]} [tables] further ones, of every mode
 * @property {(document: Document) => Chart[]} [charts]
 * @property {(document: Document) => string | null} [verdict] the answer to its question, in sentences; null if what it
 * needs was not measured
 * @property {(document: Document) => string[]} findings sentences with their numbers
 * @property {(document: Document) => Comparison[]} [compare] what --faithful prints
 * @property {string[]} [diagrams] SVG texts or files for the report
 *
 * @typedef {object} CellModule
 * @property {(context: import('./run/context').Context) => Promise<{ value: number, extra?: Record<string, number> }>}
 * run called at the top level of a fresh process; rejects where the work fails
 *
 * @typedef {object} Summary
 * @property {number} median
 * @property {number} min
 * @property {number} max
 * @property {[number, number] | null} ci95 null with fewer than three samples
 * @property {number[]} samples
 *
 * @typedef {object} Cell as in schema.json
 * @property {string} variant
 * @property {Params} params
 * @property {string} unit
 * @property {'higher' | 'lower'} better
 * @property {number[]} samples one of each run
 * @property {number | null} median
 * @property {number | null} min
 * @property {number | null} max
 * @property {[number, number] | null} ci95
 * @property {{ p50: number, p90: number, p95: number, p99: number, max: number } | null} latencyMs
 * @property {{ role: string, cpuSeconds: number | null, peakRssBytes: number | null }[]} process
 * @property {{ delayP50Ms: number, delayP99Ms: number, delayMaxMs: number, blocks: number } | null} caller
 * @property {Record<string, Summary>} extra
 * @property {'passed' | 'failed' | null} oracle null: it did not run
 * @property {string | null} error
 * @property {string | null} skipped
 * @property {boolean} oversubscribed
 *
 * @typedef {object} Document as in schema.json
 * @property {string} scenario
 * @property {ModeName} mode
 * @property {string} startedAt
 * @property {number} durationSeconds
 * @property {number} repeats
 * @property {number | null} seconds as --seconds says
 * @property {boolean} interrupted
 * @property {import('./measure/environment').Environment} environment
 * @property {Cell[]} cells
 * @property {string} verdict the scenario's question answered
 * @property {string[]} findings
 */
