'use strict'

// (module (func (export "countTo") (param i32) (result i32) (local i32) (loop (local.set 1 (i32.add (local.get 1)
// (i32.const 1))) (br_if 0 (i32.lt_u (local.get 1) (local.get 0)))) (local.get 1)))
const HEAD = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]
const TYPE = [0x01, 0x06, 0x01, 0x60, 0x01, 0x7f, 0x01, 0x7f]
const FUNCTION = [0x03, 0x02, 0x01, 0x00]
const EXPORT = [0x07, 0x0b, 0x01, 0x07, ...Buffer.from('countTo'), 0x00, 0x00]
const LOOP = [0x03, 0x40, 0x20, 0x01, 0x41, 0x01, 0x6a, 0x21, 0x01, 0x20, 0x01, 0x20, 0x00, 0x49, 0x0d, 0x00, 0x0b]
const BODY = [0x01, 0x01, 0x7f, ...LOOP, 0x20, 0x01, 0x0b]
const CODE = [0x0a, BODY.length + 2, 0x01, BODY.length, ...BODY]

/** A function of WebAssembly that counts from 0 to a number below 2^31. @returns {(to: number) => number} */
exports.compile = () => {
  const { WebAssembly } = /** @type {any} */ (globalThis)
  return new WebAssembly.Instance(
    new WebAssembly.Module(Buffer.from([...HEAD, ...TYPE, ...FUNCTION, ...EXPORT, ...CODE]))
  ).exports.countTo
}
