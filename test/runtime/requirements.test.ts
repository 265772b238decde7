import { describe, expect, test } from 'bun:test'
import { unsupportedRuntime } from '../../runtime/requirements.ts'

describe('given the versions of a runtime', () => {
  test.each([
    [{ node: '24.0.0' }],
    [{ node: '26.1.0' }],
    [{ node: '24.3.0', bun: '1.4.0' }],
    [{ node: '24.3.0', bun: '2.0.1' }],
    [{ node: '20.1.0', deno: '2.9.6' }],
  ])('when they are %p, then the node starts', versions => {
    expect(unsupportedRuntime(versions)).toBeUndefined()
  })

  test.each([
    [{ node: '20.20.2' }, 'Quorate needs Node 24 or newer, and this is Node 20.20.2.'],
    [{ node: '23.11.0' }, 'Quorate needs Node 24 or newer, and this is Node 23.11.0.'],
    [{ node: '24.3.0', bun: '1.3.9' }, 'Quorate needs Bun 1.4 or newer, and this is Bun 1.3.9.'],
  ])('when they are %p, then it ends with one sentence', (versions, sentence) => {
    expect(unsupportedRuntime(versions)).toBe(sentence)
  })
})
