import { expect, test } from 'bun:test'
import { readArguments } from '../../../../runtime/cli/sources/arguments.ts'
import { NODE_OPTIONS } from '../../../../runtime/cli/nodeOptions.ts'
import { resolveAll } from '../../../../runtime/cli/sources/resolve.ts'
import { checkCombinations } from '../../../../runtime/node/checkOptions.ts'

const refusals = (...args: readonly string[]): readonly string[] =>
  checkCombinations(resolveAll(NODE_OPTIONS, readArguments(args, NODE_OPTIONS), {}).values).map(
    ({ message }) => message,
  )

test('given a fork of another network, when an option contradicts it, then it is refused with the reason', () => {
  expect(refusals('--fork-url=http://127.0.0.1:8545', '--fork-block=5')).toEqual([])
  expect(refusals('--fork-url=ws://127.0.0.1:8545')[0]).toContain('JSON-RPC over HTTP')
})

test('given a genesis file, when a fork is asked for, then it is refused', () => {
  for (const option of ['--fork-url=http://127.0.0.1:8545', '--fork-block=1'])
    expect(refusals('--genesis-file=network.json', option)[0]).toContain('is for a development chain')
})
