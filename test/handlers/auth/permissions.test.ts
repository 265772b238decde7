import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { createGrants } from '../../../handlers/auth/permissions.ts'
import { permissionOf } from '../../../handlers/rpc/method.ts'
import { METHODS } from '../../../handlers/rpc/methods/methodTable.ts'

const rightOf = (name: string) => ({ name, permission: permissionOf(name) })

const grants = (permissions: readonly string[], name: string): boolean =>
  createGrants(permissions)(rightOf(name))

describe('given the permissions of a token', () => {
  test.each([
    ['eth:*', 'eth_blockNumber', true],
    ['eth:blockNumber', 'eth_blockNumber', true],
    ['*:*', 'debug_traceBlock', true],
    ['rpc:modules', 'rpc_modules', true],
    ['debug:standardTraceBlockToFile', 'debug_standardTraceBlockToFile', true],
    ['eth:blocknumber', 'eth_blockNumber', false],
    ['ETH:*', 'eth_blockNumber', false],
    ['eth:get*', 'eth_getBalance', false],
    ['*', 'eth_blockNumber', false],
    ['eth_*', 'eth_blockNumber', false],
    ['eth_blockNumber', 'eth_blockNumber', false],
    ['eth', 'eth_blockNumber', false],
    ['*:blockNumber', 'eth_blockNumber', false],
    ['eth:*:*', 'eth_blockNumber', false],
    [' eth:*', 'eth_blockNumber', false],
    ['', 'eth_blockNumber', false],
  ])('when they are %p and the method is %s, then the answer is %p', (permission, name, granted) => {
    expect(grants([permission], name)).toBe(granted)
  })

  test('then an empty list grants nothing', () => {
    for (const { name } of METHODS) expect(grants([], name)).toBe(false)
  })

  test('then the permission of a method with two underscores has two colons, and its group is the part before the first', () => {
    expect(grants(['a:b:c'], 'a_b_c')).toBe(true)
    expect(grants(['a:*'], 'a_b_c')).toBe(true)
    expect(grants(['a:b:*'], 'a_b_c')).toBe(false)
  })
})

const word = fc.stringMatching(/^[a-zA-Z0-9]{1,8}$/)
const methodName = fc.array(word, { minLength: 2, maxLength: 3 }).map(words => words.join('_'))

/** Strings that look like permissions and such as do not. */
const permission = fc.oneof(
  methodName.map(permissionOf),
  word.map(group => `${group}:*`),
  fc.constantFrom('*:*', '*', ':', '', '*:', ':*', '__proto__', 'constructor', 'constructor:*'),
  fc.string({ maxLength: 12 }),
)

describe('given any permissions and any method', () => {
  test('then it is granted exactly if one of three strings is in the list', () => {
    fc.assert(
      fc.property(fc.array(permission, { maxLength: 6 }), methodName, (permissions, name) => {
        const group = name.split('_')[0] as string
        const accepted = ['*:*', `${group}:*`, name.split('_').join(':')]
        expect(grants(permissions, name)).toBe(permissions.some(entry => accepted.includes(entry)))
      }),
      { numRuns: 2_000 },
    )
  })

  test('then each of the three strings grants it, with any other entries in the list', () => {
    fc.assert(
      fc.property(fc.array(permission, { maxLength: 4 }), methodName, fc.nat(2), (others, name, which) => {
        const accepted = ['*:*', `${name.split('_')[0]}:*`, permissionOf(name)]
        expect(grants([...others, accepted[which] as string], name)).toBe(true)
      }),
    )
  })

  test('then a permission with one character changed, added or removed does not grant it', () => {
    fc.assert(
      fc.property(methodName, fc.nat(), fc.string({ minLength: 1, maxLength: 1 }), (name, at, character) => {
        const right = permissionOf(name)
        const place = at % right.length
        const changed = [
          right.slice(0, place) + right.slice(place + 1),
          right.slice(0, place) + character + right.slice(place),
          right.slice(0, place) + character + right.slice(place + 1),
        ]
        const accepted = [right, '*:*', `${name.split('_')[0]}:*`]
        for (const entry of changed) if (!accepted.includes(entry)) expect(grants([entry], name)).toBe(false)
      }),
      { numRuns: 1_000 },
    )
  })
})
