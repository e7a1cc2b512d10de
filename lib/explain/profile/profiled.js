'use strict'

const { isNative } = require('../cause')
const { blame, blamedFrame, isSame, ownerOf, wrapsNative } = require('../frame')
const { builtinIn, columnOfCall, lineOfCall, syncCallIn, DEAR, REG_EXP } = require('../native-call')
const { isAgreed } = require('./agreement')
const { isBuiltInto } = require('./built-into')
const { drawnStacks } = require('./drawn-stacks')
const { offHead } = require('./loop-body')
const { allocatingLine } = require('./own-lines')
const { isUnowned, profiledStacks, sum, MOST_IN_A_ROW } = require('./profiled-stacks')

/** V8 names a function by what it was assigned to. */
const EXPORTS = /^(?:module\.)?exports\./
/** What all synchronous functions of zlib are called. */
const ZLIB = 'syncBufferWrapper'
/** The heaviest; a profile in full is served beside the record. */
const STACKS_IN_RECORD = 10
/** Fewer may have fallen anywhere. */
const ENOUGH_SAMPLES = 2
/** A function with a smaller share of the samples is not what took the time. */
const HARDLY = 0.2
/**
 * So many samples in one line outweigh a stack: interrupts are answered at the head of a loop, whichever line of it
 * takes long.
 */
const ENOUGH_IN_LINE = 3

/**
 * @typedef {import('../../types').Frame} Frame
 * @typedef {import('../../types').BlockRecord} BlockRecord
 * @typedef {import('./cpu-profile').CpuProfile} CpuProfile
 * @typedef {import('./profiled-stacks').Sources} Sources
 * @typedef {import('../frame').PassesOn} PassesOn
 * @typedef {import('./profiled-stacks').ProfiledStack & { blamed: Frame | null }} ProfiledStack
 */

/**
 * A record with what a CPU profile of its time says: its samples come by a signal and fall into native
 * calls as well, so that a stack taken when such a call had returned is put right by them.
 * @param {BlockRecord} record
 * @param {CpuProfile} profile of its time alone
 * @param {Sources} sources
 * @returns {BlockRecord}
 */
exports.withProfile = (record, profile, sources) => {
  const passesOn = passingIn(record, sources)
  const stacks = profiledStacks(profile, sources, record.frame)
    .map((stack) => ({ ...stack, blamed: blamedFrame(stack.frames, passesOn) }))
  const stacksInRecord = stacks
    .slice(0, STACKS_IN_RECORD)
    .map(({ count, weightMs, frames }) => ({ count, weightMs: Math.round(weightMs * 10) / 10, frames }))
  const isTold = profile.samples.length >= ENOUGH_SAMPLES && !isUnowned(stacks)
  const told = !isTold ? null : surer(tell(record, stacks, { ...sources, passesOn }), record)
  const call = told?.call ?? null
  const found = told?.frame ?? record.frame
  const isAnswered = found !== null && call === null && isAt(found, record.frame)
  const frame = isAnswered ? inBody(found, stacks, sources, record.cause) : found
  return {
    ...record,
    cause: causeBy(told, record, stacks),
    frame: frame && { ...frame, exact: frame.exact && isAgreed(frame, record, stacks) },
    stacks: frame === null ? record.stacks : drawnStacks(record, { frame, call }, isTold ? stacksInRecord : []),
    leaf: call === null ? record.leaf : { function: call, file: null, line: null, column: null },
    profile: { samples: profile.samples.length, call, stacks: stacksInRecord }
  }
}

/**
 * The same without a profile.
 * @param {BlockRecord} record
 * @param {Sources} sources
 * @returns {BlockRecord}
 */
exports.withoutProfile = (record, sources) => {
  if (record.frame === null) return record
  const frame = inBody(record.frame, [], sources, record.cause)
  return { ...record, frame, stacks: drawnStacks(record, { frame, call: null }, []) }
}

/** Whether it is the place that interrupts have found. @param {Frame} frame @param {Frame | null} answered */
const isAt = (frame, answered) => isSame(answered, frame) && answered?.line === frame.line

/**
 * A place that interrupts have found, in the body of the loop at whose head they were answered.
 * @param {import('../../types').FrameRecord} frame
 * @param {ProfiledStack[]} stacks
 * @param {Sources} sources
 * @param {BlockRecord['cause']} cause
 */
function inBody (frame, stacks, { textOf, lineAt }, cause) {
  if (!(frame.exact || cause === 'gc') || frame.file === null || frame.compiled) return frame
  // Where a function ran between two collections does not tell what it made.
  const own = cause === 'gc' ? [] : stacks.filter(({ frames }) => isSame(callerIn(frames), frame))
  const ticks = own.flatMap(({ raw, ticks }) => ticks.map((each) => {
    const place = lineAt(raw.find(({ file }) => file !== null)?.file ?? '', each.line)
    return { line: place?.line ?? 0, ticks: each.ticks }
  }))
  return offHead(frame, ticks, textOf(frame.file))
}

/**
 * A line that interrupts have found in time is not given up for a function of which no line is known. A collection is
 * told of the function that was sampled before it, which may be the caller of the one that interrupts found.
 * @param {ReturnType<typeof tell>} told
 * @param {BlockRecord} record
 */
function surer (told, { frame, samples, stacks, cause, evidence, durationMs }) {
  const isUnsure = told?.frame && !told.frame.exact && !isSame(frame, told.frame)
  if (!isUnsure) return told
  const isWithin = stacks.some(({ frames }) => frames.slice(1).some((each) => isSame(told.frame, each)))
  const isTimely = frame?.exact === true && !isNative({ ...evidence, durationMs })
  const isSure = isTimely ? samples >= ENOUGH_SAMPLES || isWithin : cause === 'gc' && frame !== null && isWithin
  return isSure ? { ...told, frame, call: null } : told
}

/**
 * Where nothing could be asked the profile says what ran. A line that calls one built-in may have done so once or
 * often: that is told by interrupts alone. They are also answered in what a native call calls back, between many short
 * native calls, and a single one perhaps just after a long call; most of the time is that of the calls all the same.
 * @param {ReturnType<typeof tell>} told
 * @param {BlockRecord} record
 * @param {ProfiledStack[]} stacks
 */
function causeBy (told, { cause, frame, samples, stacks: answered, evidence }, stacks) {
  if (cause === 'js' && told !== null) {
    const { frame: place, call } = told
    const callsBack = place?.exact === true && calls(place, frame, answered) && isAround(place, frame, stacks)
    return callsBack || isInWrappers(stacks) || (call !== null && samples < ENOUGH_SAMPLES) ? 'native' : 'js'
  }
  if (cause !== 'unknown' || samples > 0 || evidence.debugger || told === null || told.isOpen) return cause
  return told.call === null ? 'js' : 'native'
}

/**
 * Whether the function that interrupts found was called at a place of another one.
 * @param {Frame} place
 * @param {Frame | null} found
 * @param {import('../../types').StackRecord[]} stacks
 */
function calls (place, found, stacks) {
  // Functions without a name may be any of their file.
  if (found === null || (isSame(found, place) && (found.function !== null || found.line === place.line))) return false
  const isCall = (/** @type {Frame} */ each) => isSame(each, place) && each.line === place.line
  return stacks.some(({ frames }) => frames.slice(1 + frames.findIndex((each) => isSame(found, each))).some(isCall))
}

/**
 * Whether a profile has most of the time in a function itself, and hardly any in another that it called.
 * @param {Frame} place
 * @param {Frame | null} found
 * @param {ProfiledStack[]} stacks
 */
function isAround (place, found, stacks) {
  const own = stacks.filter(({ frames }) => isSame(callerIn(frames), place))
  const within = found?.function == null
    ? []
    : stacks.filter(({ frames }) => frames.some((each) => isSame(found, each)))
  return sum(own) * 2 > sum(stacks) && sum(within) < HARDLY * sum(stacks)
}

/**
 * Whether samples enough found Node's own code around native calls, for most of the time.
 * @param {ProfiledStack[]} stacks
 */
function isInWrappers (stacks) {
  const within = stacks.filter(({ frames }) => wrapsNative(frames))
  return sum(within) * 2 > sum(stacks) && sum(within) >= ENOUGH_IN_LINE
}

/** @param {BlockRecord} record @param {ProfiledStack[]} all @param {Sources & { passesOn: PassesOn }} sources */
function tell (record, all, { original, lines, textOf, passesOn }) {
  const inAll = blameTimely(all, passesOn)
  if (inAll === null) return null
  const stacks = withoutClocks(all, inAll)
  const blamed = /** @type {Frame} */ (blameTimely(stacks.filter((stack) => isSame(stack.blamed, inAll)), passesOn))
  const heaviest = /** @type {ProfiledStack} */ (stacks.find((stack) => isSame(stack.blamed, blamed)))
  const at = heaviest.frames.findIndex((frame) => isSame(frame, blamed))
  const callees = heaviest.frames.slice(0, at).filter(isCallee)
  const raw = heaviest.raw[at]
  const text = raw.file === null ? null : lines(raw.file)
  // Of a short block it is one sample, of a moment at its end.
  // Where a function begins an interrupt is answered each time it is entered or goes on after an await.
  const isHead = record.frame !== null && isSame(record.frame, blamed) && record.frame.line === heaviest.headLine
  const sampled = record.frame?.exact && !isHead && isSame(record.frame, blamed) ? record.frame : null
  if (callees.length === 0) {
    const own = { hasLine: heaviest.hasLine, frame: heaviest.frames[at], raw }
    return tellOwn(record, stacks, own, blamed, sampled, { text, textOf, passesOn })
  }
  const { function: own } = callees[callees.length - 1]
  // Through a source map it is no line of this text.
  const sampledLine =
    record.frame !== null && isSame(record.frame, blamed) && record.frame.file === raw.file ? record.frame.line : null
  const name = own === ZLIB ? syncCallIn(text ?? [], raw.line ?? 1, sampledLine) ?? own : own
  const caller = sampled ?? callerOf(isHead ? null : record.frame, blamed, raw, name, text, original)
  // Of a line where a function called another nobody tells; its own are nearer than its head.
  const near = caller?.line === blamed.line && !caller.exact ? ownLine(stacks, blamed) : null
  const call = builtinOfPackage(record, stacks, heaviest, lines) ?? name?.replace(EXPORTS, '') ?? null
  return { frame: near === null ? caller : { ...near, exact: false }, call, isOpen: false }
}

/**
 * The same where the function itself was sampled, or a built-in without a frame of its own.
 * @param {BlockRecord} record
 * @param {ProfiledStack[]} stacks
 * @param {Pick<ProfiledStack, 'hasLine'> & { frame: Frame, raw: Frame }} heaviest with the blamed frame
 * @param {Frame} blamed
 * @param {import('../../types').FrameRecord | null} sampled by an interrupt in time
 * @param {{ text: string[] | null, passesOn: PassesOn } & Pick<Sources, 'textOf'>} source the file as it runs,
 * and others as written
 */
function tellOwn (record, stacks, heaviest, blamed, sampled, { text, textOf, passesOn }) {
  const line = heaviest.hasLine ? heaviest.raw.line : sampled?.line ?? null
  const seen = seenIn(record)
  const builtin = line === null ? null : builtinIn(text?.[line - 1] ?? '', { lines: text ?? [], seen })
  const late = !heaviest.hasLine && isSame(record.frame, blamed) ? record.frame : null
  if (isBuiltInto(record, heaviest.frame, heaviest.hasLine, builtin !== null, { textOf, passesOn })) {
    return { frame: record.frame, call: null, isOpen: false }
  }
  // The only stack was of another moment, and says nothing of this call.
  const isOfOther = record.samples === 1 && record.frame !== null && !isSame(record.frame, blamed)
  const isCalled = isOfOther || isNative({ ...record.evidence, durationMs: record.durationMs }) || seen.has(builtin?.method ?? '')
  return {
    frame: collectedLine(stacks, blamed, record.frame, text) ??
      certainLine(stacks, blamed) ??
      sampled ??
      late ?? { ...blamed, exact: heaviest.hasLine },
    call: builtin !== null && isCalled ? builtin.call : null,
    isOpen: builtin !== null && !isCalled
  }
}

/**
 * The built-ins, by their own names, in which interrupts found the thread. In a native call they were answered after
 * it, perhaps in the next one.
 * @param {BlockRecord} record
 */
function seenIn ({ stacks, evidence, durationMs }) {
  if (isNative({ ...evidence, durationMs })) return new Set()
  const builtins = stacks.flatMap(({ frames: [innermost] }) =>
    innermost?.file === null && innermost.line === null ? [innermost.function ?? ''] : [])
  return new Set(builtins)
}

/**
 * A built-in that works through what a package was given and that had most of the time, such as JSON.stringify in
 * `res.json()` of Express; null if there is none.
 * @param {BlockRecord} record
 * @param {ProfiledStack[]} stacks
 * @param {ProfiledStack} heaviest of the blamed function
 * @param {Sources['lines']} lines
 */
function builtinOfPackage (record, stacks, { raw, hasLine, count }, lines) {
  const frame = callerIn(raw)
  if (frame === null || !hasLine || ownerOf(frame) !== 'package' || count * 2 < sum(stacks)) return null
  const seen = seenIn(record)
  const builtin = builtinIn(lines(frame.file ?? '')?.[(frame.line ?? 0) - 1] ?? '', { seen })
  return builtin !== null && DEAR.has(builtin.call) ? builtin.call : null
}

/** Samples of a profile are never late. @param {ProfiledStack[]} stacks @param {PassesOn} [passesOn] */
const blameTimely = (stacks, passesOn) => blame(stacks.map((stack) => ({ ...stack, lateMs: 0 })), passesOn)

/**
 * Functions that only went on to what they were given, by their calls in the stacks: a profile has no lines of calls.
 * @param {BlockRecord} record
 * @param {Sources} sources
 * @returns {PassesOn}
 */
function passingIn ({ stacks }, sources) {
  const passing = stacks.flatMap(({ frames }) => frames).filter((frame) => sources.passesOn?.(frame))
  return (frame) => passing.some((each) => isSame(each, frame))
}

/**
 * Without stacks in which a function only read a clock, if there are others of it: on a busy machine a thread is put
 * aside there more often than elsewhere, and its samples are taken as it goes on.
 * @param {ProfiledStack[]} stacks
 * @param {Frame} blamed
 */
function withoutClocks (stacks, blamed) {
  const working = stacks.filter(({ isClock }) => !isClock)
  return sum(working.filter((stack) => isSame(stack.blamed, blamed))) >= ENOUGH_SAMPLES ? working : stacks
}

/**
 * The stack with the line in which a function itself was sampled most, null where no sample tells.
 * @param {ProfiledStack[]} stacks
 * @param {Frame} blamed
 */
function ownStack (stacks, blamed) {
  const own = stacks.filter(({ frames, hasLine }) => hasLine && isSame(callerIn(frames), blamed))
  return own.length === 0 ? null : own.reduce((most, each) => ticksOf(own, each) > ticksOf(own, most) ? each : most)
}

/**
 * How many samples some stacks of one function have in the line of one of them.
 * @param {ProfiledStack[]} stacks
 * @param {ProfiledStack} of
 */
function ticksOf (stacks, { ticks: [{ line: of }] }) {
  return stacks.reduce((sum, { ticks }) => sum + (ticks.find(({ line }) => line === of)?.ticks ?? 0), 0)
}

/** @param {ProfiledStack[]} stacks @param {Frame} blamed @returns {Frame | null} */
function ownLine (stacks, blamed) {
  return callerIn(ownStack(stacks, blamed)?.frames ?? [])
}

/**
 * Where collections are most of a function: the line of it that makes what they collect. A stack does not tell, as
 * interrupts are answered at the head of a loop.
 * @param {ProfiledStack[]} stacks
 * @param {Frame} blamed
 * @param {Frame | null} late as the stack has it
 * @param {string[] | null} text of the file, null where it is not what runs
 * @returns {import('../../types').FrameRecord | null}
 */
function collectedLine (stacks, blamed, late, text) {
  const own = stacks.filter(({ frames }) => isSame(callerIn(frames), blamed))
  const collecting = own.filter(({ gcRun }) => gcRun !== null)
  const ticks = own.flatMap((stack) => stack.gcRun === null ? stack.ticks : [])
  const raw = own[0].raw.find(({ file }) => file !== null)
  // Through a source map it is no line of this text.
  if (text === null || ticks.length === 0 || sum(collecting) * 2 <= sum(own) || raw?.file !== blamed.file) return null
  // Between two collections what makes the garbage runs. Where nothing ran, something else called for them.
  if (Math.max(...collecting.map(({ gcRun }) => gcRun ?? 0)) > MOST_IN_A_ROW * sum(collecting)) return null
  const line = allocatingLine(text, [
    ...ticks.map((each) => each.line),
    ...(late !== null && late.line !== null && isSame(late, blamed) ? [late.line] : [])
  ])
  return line === null ? null : { ...blamed, line, column: text[line - 1].search(/\S|$/) + 1, exact: ticks.some((each) => each.line === line) }
}

/**
 * The same, where enough samples tell, and not most of them are of collections, which do not say where they interrupted
 * it.
 * @param {ProfiledStack[]} stacks
 * @param {Frame} blamed
 */
function certainLine (stacks, blamed) {
  const own = stacks.filter(({ frames }) => isSame(callerIn(frames), blamed))
  const lined = own.filter(({ hasLine }) => hasLine)
  const most = ownStack(own, blamed)
  // Samples are those of the block; of lines there are counts for the profile as a whole, and fewer than samples.
  if (most === null || ticksOf(lined, most) < ENOUGH_IN_LINE || sum(lined) < ENOUGH_IN_LINE) return null
  return sum(lined) * 2 >= sum(own)
    ? /** @type {import('../../types').FrameRecord} */ ({ ...callerIn(most.frames), exact: true })
    : null
}

/** The innermost function of a file. @param {Frame[]} frames */
const callerIn = (frames) => frames.find(({ file }) => file !== null) ?? null

/**
 * Where in a function something was called that has frames of its own: a profile does not tell the
 * line, the source or the late sample may.
 * @param {import('../../types').FrameRecord | null} late
 * @param {Frame} blamed
 * @param {Frame} raw
 * @param {string | null} name of what was called
 * @param {string[] | null} text
 * @param {(frame: Frame) => Frame} original
 */
function callerOf (late, blamed, raw, name, text, original) {
  const line = late !== null && isSame(late, blamed) ? late.line : null
  if (name !== null && text !== null) {
    if (late !== null && line !== null && columnOfCall(text[line - 1] ?? '', name) !== null) return { ...late, exact: true }
    const found = lineOfCall(text, raw.line ?? 1, name)
    if (found !== null) return { ...original({ ...raw, ...found }), exact: true }
  }
  return line !== null ? late : { ...blamed, exact: false }
}

/**
 * Whether a frame above the application's is of what it called. Names of C++ functions count where
 * JavaScript of Node.js called them: alone, it may be the one called last before (seen on 24.21).
 * @param {Frame} frame @param {number} i @param {Frame[]} frames innermost first
 */
function isCallee ({ function: name, file }, i, frames) {
  return file !== null || name === REG_EXP || frames.slice(i).some((outer) => outer.file !== null)
}

exports.STACKS_IN_RECORD = STACKS_IN_RECORD
