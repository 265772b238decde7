import { expect, test } from 'bun:test'
import { toHex } from '../../core/bytes/hex.ts'
import { sealOfSignature } from '../../core/block/codec/seal.ts'
import { addressOfPrivateKey, publicKeyOf, sign } from '../../core/crypto/crypto.ts'
import { statementDigest, type ValidatorStatement } from '../../p2p/validatorStatement.ts'
import { GENESIS, type Node, statusOf, until, withNodes } from './networks.ts'

const key = (first: number): Uint8Array => new Uint8Array(32).fill(first)
const SHARED = key(0x51)

const addressesOf = ({ network }: Node): readonly string[] =>
  network.peers().map(({ address }) => toHex(address))

test('given a node that is connected, when another one with its key connects, then it is refused with the address of the first, and learns why', async () => {
  await withNodes(async start => {
    const listener = await start()
    const staticNodes = [listener.network.enode]
    const first = await start({ privateKey: SHARED, staticNodes })
    await until(() => listener.network.peers().length === 1 && first.network.peers().length === 1)
    const second = await start({ privateKey: SHARED, staticNodes })
    await until(() => second.keysInUse.length > 0)
    const [refusal] = second.keysInUse
    expect(refusal?.address).toBe(toHex(addressOfPrivateKey(listener.privateKey)))
    expect(refusal?.reason).toMatch(/another node with its key is connected from 127\.0\.0\.1:\d+/)
    expect(second.connections).toBe(0)
    expect(addressesOf(listener)).toEqual([toHex(addressOfPrivateKey(SHARED))])
    listener.network.sendConsensus([addressOfPrivateKey(SHARED)], 1, Uint8Array.of(7))
    await until(() => first.consensus.length === 1)
    expect(first.keysInUse).toEqual([])
    expect(listener.disconnected).toEqual([])
    await first.stop()
    await until(() => second.network.peers().length === 1)
  })
})

test('given a validator, when a node with a newer connection key for it connects, then the older node learns that its key is in use', async () => {
  await withNodes(async start => {
    const listener = await start()
    const statementFor = (connection: Uint8Array, madeAtMs: number): ValidatorStatement => {
      const subject = { genesisHash: GENESIS, connectionKey: publicKeyOf(connection), madeAtMs }
      return { madeAtMs, signature: sealOfSignature(sign(statementDigest(subject), SHARED)) }
    }
    const startWith = (connection: Uint8Array, madeAtMs: number): Promise<Node> =>
      start({
        privateKey: connection,
        status: statusOf({ statement: statementFor(connection, madeAtMs) }),
        staticNodes: [listener.network.enode],
      })
    const older = await startWith(key(0x31), 1000)
    await until(() => listener.network.peers().length === 1)
    await startWith(key(0x32), 2000)
    await until(() => older.keysInUse.length > 0)
    expect(older.keysInUse[0]?.address).toBe(toHex(addressOfPrivateKey(listener.privateKey)))
  })
})
