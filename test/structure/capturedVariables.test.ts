import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { capturingFunctions } from './capturedVariables.ts'
import { sourceFiles } from './source.ts'

/** Reads and parses all sources, beside other work. */
setDefaultTimeout(60_000)

/** Beyond this a closure is a state without a name: give it a type, and functions over it. */
const CAPTURED_LETS_MAX = 5

describe('variables that inner functions share', () => {
  test('given all source files, when a function shares more than five `let` variables, then it is named', () => {
    const found = sourceFiles('core', 'handlers', 'p2p', 'runtime').flatMap(file =>
      capturingFunctions(file, CAPTURED_LETS_MAX).map(
        ({ path, line, captured }) => `${path}:${line} shares ${captured.join(', ')}`,
      ),
    )
    expect(found).toEqual([])
  })

  test('given a closure over two variables, when one is allowed, then both are found', () => {
    const text = `const make = (): (() => number) => {
      let first = 0
      let { second } = { second: 1 }
      let alone = 2
      for (let inLoop = 0; inLoop < 2; inLoop++) alone++
      return () => first++ + second + ({ alone: 1 }).alone
    }`
    const [found, ...others] = capturingFunctions({ path: 'a.ts', text }, 1)
    expect(others).toEqual([])
    expect(found?.line).toBe(1)
    expect(found?.captured).toEqual(['first', 'second'])
  })
})
