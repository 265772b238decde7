import { expect, setDefaultTimeout, test } from 'bun:test'
import { withFolder } from '../runtime/folder.ts'
import { PROCESS_TEST_TIMEOUT_MS, startNode } from '../runtime/nodeProcess.ts'
import { privateKeyOf } from './contract.ts'
import { hasWeb3, runPython } from './python/run.ts'

setDefaultTimeout(2 * PROCESS_TEST_TIMEOUT_MS)

test.skipIf(!hasWeb3)(
  `given unmodified web3.py, when it subscribes as to geth, then it gets events${hasWeb3 ? '' : ' (python3 -m pip install web3)'}`,
  () =>
    withFolder(async folder => {
      const node = await startNode(folder, ['--rpc-ws-enabled', '--rpc-ws-port=0'])
      const subscriptions = {
        hashes: ['newPendingTransactions'],
        transactions: ['newPendingTransactions', true],
        heads: ['newHeads'],
      }
      const seen = await runPython('subscribes.py', {
        wsUrl: node.wsUrl,
        key: privateKeyOf(0),
        subscriptions,
      })
      expect(seen).toEqual({
        hashes: { isTransaction: true, isObject: false },
        transactions: { isTransaction: true, isObject: true },
        heads: { isTransaction: false, isObject: true },
      })
      expect(await node.stop()).toBe(0)
    }),
)
