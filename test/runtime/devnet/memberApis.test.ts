import { expect, test } from 'bun:test'
import { METHODS } from '../../../handlers/rpc/methods/methodTable.ts'
import { MEMBER_APIS } from '../../../runtime/devnet/memberProcess.ts'

/** Served whatever groups are enabled. */
const ALWAYS_ON = 'RPC'
/** Groups that change a chain at will are for development chains of one node. */
const DEVELOPMENT_ONLY: readonly string[] = ['DEV']
/** For chains that began with IBFT 2.0, which `bun run network` does not make. */
const HISTORY_ONLY: readonly string[] = ['IBFT']
/** Served with --explorer-index. */
const INDEX_ONLY: readonly string[] = ['OTS']

test('given a node of `bun run network`, when methods are called, then every group with methods is served', () => {
  const groups = new Set(METHODS.map(({ group }) => group))
  const served = new Set([ALWAYS_ON, ...DEVELOPMENT_ONLY, ...INDEX_ONLY, ...HISTORY_ONLY, ...MEMBER_APIS])
  expect([...groups].filter(group => !served.has(group))).toEqual([])
})
