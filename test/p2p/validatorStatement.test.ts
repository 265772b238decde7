import { expect, test } from 'bun:test'
import { sealOfSignature } from '../../core/block/codec/seal.ts'
import { toHex } from '../../core/bytes/hex.ts'
import { addressOfPrivateKey, publicKeyOf, sign } from '../../core/crypto/crypto.ts'
import { statementDigest, type ValidatorStatement } from '../../p2p/validatorStatement.ts'
import { GENESIS, statusOf, until, withNodes } from './networks.ts'

const key = (first: number): Uint8Array => new Uint8Array(32).fill(first)
const VALIDATOR = key(0x21)
const ADDRESS = addressOfPrivateKey(VALIDATOR)

const statementFor = (connection: Uint8Array, madeAtMs: number, by = VALIDATOR): ValidatorStatement => {
  const subject = { genesisHash: GENESIS, connectionKey: publicKeyOf(connection), madeAtMs }
  return { madeAtMs, signature: sealOfSignature(sign(statementDigest(subject), by)) }
}

const statusWith = (statement: ValidatorStatement) => statusOf({ statement })

test('given a node with a connection key of its own, when it connects with a statement of its validator, then consensus messages to the validator reach it and its own come from the validator', async () => {
  await withNodes(async start => {
    const own = key(0x31)
    const listener = await start()
    const node = await start({
      privateKey: own,
      status: statusWith(statementFor(own, 1000)),
      staticNodes: [listener.network.enode],
    })
    await until(() => listener.network.peers().length === 1 && node.network.peers().length === 1)
    expect(listener.network.peers().map(({ address }) => toHex(address))).toEqual([toHex(ADDRESS)])
    expect(listener.network.sendConsensus([ADDRESS], 1, Uint8Array.of(7))).toBe(1)
    expect(listener.network.sendConsensus([addressOfPrivateKey(own)], 1, Uint8Array.of(8))).toBe(0)
    node.network.sendConsensus([addressOfPrivateKey(listener.privateKey)], 2, Uint8Array.of(9))
    await until(() => node.consensus.length === 1 && listener.consensus.length === 1)
    expect(listener.consensus[0]?.from).toBe(toHex(ADDRESS))
  })
})

test('given a statement for another connection key, when the node connects, then its peers do not accept it as the validator', async () => {
  await withNodes(async start => {
    const listener = await start()
    await start({
      privateKey: key(0x41),
      // Signed by the validator, but for a key that this node does not have.
      status: statusWith(statementFor(key(0x31), 1000)),
      staticNodes: [listener.network.enode],
    })
    await until(() => listener.network.peers().length === 1)
    expect(listener.network.peers().map(({ address }) => toHex(address))).not.toContain(toHex(ADDRESS))
    expect(listener.network.sendConsensus([ADDRESS], 1, Uint8Array.of(7))).toBe(0)
  })
})

test('given a validator that is connected, when it connects with a newer connection key, then the newer replaces the older, which cannot return', async () => {
  await withNodes(async start => {
    const listener = await start()
    const staticNodes = [listener.network.enode]
    const [older, newer] = [key(0x31), key(0x32)]
    await start({ privateKey: older, status: statusWith(statementFor(older, 1000)), staticNodes })
    const isConnected = (connection: Uint8Array): boolean =>
      listener.network.peers().some(({ publicKey }) => toHex(publicKey) === toHex(publicKeyOf(connection)))
    await until(() => isConnected(older))
    await start({ privateKey: newer, status: statusWith(statementFor(newer, 2000)), staticNodes })
    await until(() => isConnected(newer))
    expect(isConnected(older)).toBe(false)
    expect(listener.network.peers()).toHaveLength(1)
  })
})

test('given a node with the validator key of another, when they meet, then they refuse each other with the reason', async () => {
  await withNodes(async start => {
    const own = key(0x31)
    const listener = await start({ privateKey: VALIDATOR })
    await start({
      privateKey: own,
      status: statusWith(statementFor(own, 1000)),
      staticNodes: [listener.network.enode],
    })
    await until(() => listener.lines.some(({ values }) => /stop one of the two/.test(String(values?.reason))))
    expect(listener.network.peers()).toHaveLength(0)
  })
})
