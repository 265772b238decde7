import { expect, test } from 'bun:test'
import { toHex } from '../../../core/bytes/hex.ts'
import { addressOfPrivateKey } from '../../../core/crypto/crypto.ts'
import { until } from '../../support/until.ts'
import { withDevp2pNodes } from './nodes.ts'

const SHARED = new Uint8Array(32).fill(0x51)

test('given a node that is connected over devp2p and answers, when another one with its key connects, then it is refused, and learns why', async () => {
  await withDevp2pNodes(async start => {
    const privateKey = new Uint8Array(32).fill(0x61)
    const listener = await start({ privateKey })
    const staticNodes = [listener.network.enode]
    const first = await start({ privateKey: SHARED, staticNodes })
    await until(() => listener.network.peers().length === 1 && first.network.peers().length === 1)
    const keysInUse: string[] = []
    const second = await start({
      privateKey: SHARED,
      staticNodes,
      handlers: { onKeyInUse: (address, reason) => void keysInUse.push(`${toHex(address)} ${reason}`) },
    })
    const refusals = (): number =>
      listener.lines.filter(line => line.includes('another node with its key is connected from 127.0.0.1:'))
        .length
    await until(() => refusals() > 0)
    await until(() => keysInUse.length > 0)
    expect(keysInUse[0]).toBe(
      `${toHex(addressOfPrivateKey(privateKey))} it is connected with another node that has this key`,
    )
    expect([second.peers.length, listener.disconnected.length, first.disconnected.length]).toEqual([0, 0, 0])
    await first.stop()
    await until(() => second.network.peers().length === 1)
  })
})
