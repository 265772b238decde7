import { expect, setDefaultTimeout, test } from 'bun:test'
import { toHex } from '../../../../core/bytes/hex.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../../../core/genesis/development/accounts.ts'
import { until } from '../../../support/until.ts'
import { withFolder } from '../../folder.ts'
import { PROCESS_TEST_TIMEOUT_MS, startNode } from '../../nodeProcess.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

type Notified = { readonly blockHash: string; readonly logIndex: string; readonly removed: boolean }

const CONTRACT = '0x00000000000000000000000000000000000c0de0'
/** LOG0 without data. */
const LOGS = '0x5f5fa000'
const from = toHex(DEVELOPMENT_ACCOUNTS[0]?.address as Uint8Array)

test('given a subscriber of logs, when the chain reverts, then it gets the same logs again as removed', () =>
  withFolder(async folder => {
    const node = await startNode(folder, ['--rpc-ws-enabled', '--rpc-ws-port=0'])
    const socket = new WebSocket(node.wsUrl as string)
    const received: Notified[] = []
    try {
      let subscribed = false
      socket.addEventListener('message', ({ data }) => {
        const message = JSON.parse(String(data)) as { id?: number; params?: { result: Notified } }
        if (message.id === 1) subscribed = true
        else if (message.params !== undefined) received.push(message.params.result)
      })
      await until(() => socket.readyState === WebSocket.OPEN)
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['logs', {}] }))
      await until(() => subscribed)
      await node.rpc('anvil_setCode', CONTRACT, LOGS)
      const id = await node.rpc('evm_snapshot')
      await node.rpc('eth_sendTransaction', { from, to: CONTRACT, gas: '0x186a0' })
      await until(() => received.length === 1)
      expect(await node.rpc<boolean>('evm_revert', id)).toBe(true)
      await until(() => received.length === 2)
      const [added, removed] = received as [Notified, Notified]
      expect(added.removed).toBe(false)
      expect(removed).toEqual({ ...added, removed: true })
    } finally {
      socket.close()
      await node.kill()
    }
  }))
