import { expect, test } from 'bun:test'
import { METHODS } from '../../../handlers/rpc/methods/methodTable.ts'
import { MEMBER_APIS } from '../../../runtime/devnet/memberProcess.ts'

/** Served whatever groups are enabled. */
const ALWAYS_ON = 'RPC'
/** Groups that change a chain at will are for development chains of one node. */
const DEVELOPMENT_ONLY: readonly string[] = []

test('a node of a network on this machine serves every group that has methods', () => {
  const groups = new Set(METHODS.map(({ group }) => group))
  const served = new Set([ALWAYS_ON, ...DEVELOPMENT_ONLY, ...MEMBER_APIS])
  expect([...groups].filter(group => !served.has(group))).toEqual([])
})
