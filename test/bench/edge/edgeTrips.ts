import { compareBytes, ZERO_ADDRESS } from '../../../core/bytes/bytes.ts'
import { plainHeader } from '../../support/chains/plainHeader.ts'
import { qbftBlockHash, qbftSealHash } from '../../../core/block/codec/blockHash.ts'
import { encodeExtraData } from '../../../core/block/codec/extraData.ts'
import { sealOfSignature } from '../../../core/block/codec/seal.ts'
import type { Header } from '../../../core/block/header.ts'
import { addressOfPrivateKey, sign } from '../../../core/crypto/crypto.ts'
import type { Genesis } from '../../../core/genesis/genesis.ts'
import { encodeSegment } from '../../../core/store/segments/segment.ts'
import type { KeyValueStore } from '../../../core/store/keyvalue/keyvalue.ts'
import { verifySealedHeader } from '../../../core/verify/sealedHeader.ts'
import { createRpcApp, HTTP_DEFAULTS } from '../../../handlers/http/app.ts'
import { RPC_DEFAULTS } from '../../../handlers/rpc/context.ts'
import { logOf } from '../../../runtime/logging/log.ts'
import { openReader } from '../../../runtime/read/openReader.ts'
import { openWriterOf, sharedMemory } from '../../support/stores/replica.ts'
import { sampleChain } from '../../support/chains/sampleChain.ts'
import { medianMs, type Row } from '../measure.ts'

/** A store that counts its round trips. */
export const countTrips = (kv: KeyValueStore) => {
  const trips = { reads: 0, writes: 0 }
  const counted: KeyValueStore = {
    ...kv,
    get: key => (trips.reads++, kv.get(key)),
    getMany:
      kv.getMany &&
      (async keys => {
        trips.reads++
        return (await kv.getMany?.(keys)) ?? []
      }),
    setIf:
      kv.setIf &&
      (async (condition, entries) => {
        trips.writes++
        return (await kv.setIf?.(condition, entries)) === true
      }),
  }
  return { kv: counted, trips }
}

const BLOCKS = 200
const COUNTED_FROM = 100

/** Round trips of the node that fills a replica, for each block after the first hundred. */
export const benchBlockTrips = async (): Promise<Row> => {
  const chain = sampleChain({
    seed: 5,
    blocks: BLOCKS,
    accounts: 20,
    slots: 2,
    changesMax: 4,
    transactionsMax: 4,
  })
  const { kv, trips } = countTrips(sharedMemory())
  const writer = await openWriterOf(kv, chain)
  for (const [number, commit] of chain.commits.entries()) {
    if (number === COUNTED_FROM) Object.assign(trips, { reads: 0, writes: 0 })
    await writer.write([encodeSegment(commit)])
  }
  const blocks = BLOCKS - COUNTED_FROM
  return {
    name: 'a block into a replica',
    values: {
      'writes, round trips': (trips.writes / blocks).toFixed(2),
      'reads, round trips': (trips.reads / blocks).toFixed(2),
    },
  }
}

const keyOf = (index: number): Uint8Array => new Uint8Array(32).fill(index + 1)

/** A header that four validators sealed. */
const sealedHeader = (): { readonly header: Header; readonly validators: readonly Uint8Array[] } => {
  const keys = [0, 1, 2, 3]
    .map(keyOf)
    .toSorted((a, b) => compareBytes(addressOfPrivateKey(a), addressOfPrivateKey(b)))
  const validators = keys.map(addressOfPrivateKey)
  const extra = (seals: readonly Uint8Array[]): Uint8Array =>
    encodeExtraData({ vanity: new Uint8Array(32), validators, vote: undefined, round: 0, seals })
  const header = plainHeader({
    coinbase: validators[0] ?? ZERO_ADDRESS,
    extraData: extra([]),
  })
  const hash = qbftSealHash(header)
  return {
    header: { ...header, extraData: extra(keys.map(key => sealOfSignature(sign(hash, key)))) },
    validators,
  }
}

/** The time to verify the seals of a new head. */
export const benchSeals = async (): Promise<Row> => {
  const { header, validators } = sealedHeader()
  qbftBlockHash(header)
  const ms = await medianMs(() => verifySealedHeader({ ...header }, validators), {
    warmups: 50,
    windows: 200,
  })
  return { name: 'a new head of four seals', values: { 'verify, ms': ms.toFixed(2) } }
}

/**
 * Round trips of balanceOf in a reader that trusts its store: the first call of a contract, again at the same head, and at the
 * head after it.
 */
export const benchCallTrips = async (
  genesis: Genesis,
  shared: KeyValueStore,
  call: object,
  nextBlock: () => Promise<void>,
): Promise<Row> => {
  const { kv, trips } = countTrips(shared)
  const reader = await openReader(
    {
      genesis,
      kv,
      verification: 'none',
      trustedBlock: undefined,
      maxHeadAge: 0,
      upstream: undefined,
      rpc: { ...RPC_DEFAULTS, clientVersion: 'bench', networkId: genesis.configuration.chainId },
      log: logOf('bench'),
    },
    () => false,
  )
  if (reader === undefined) throw new Error('the reader was stopped')
  // The head is read for each request here, as where nothing polls it.
  reader.stop()
  const app = createRpcApp(reader.context, HTTP_DEFAULTS)
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [call, 'latest'] })
  const tripsOfCall = async (): Promise<string> => {
    // Older than the time for which a head is used again.
    await Bun.sleep(20)
    trips.reads = 0
    await reader.fresh()
    const response = await app.fetch(
      new Request('http://localhost/', { method: 'POST', body, headers: { host: 'localhost' } }),
      () => 'bench',
    )
    if (!(await response.text()).includes('"result"')) throw new Error('the call failed')
    return `${trips.reads}`
  }
  const first = await tripsOfCall()
  const warm = await tripsOfCall()
  await nextBlock()
  const cold = await tripsOfCall()
  return {
    name: 'balanceOf, none',
    values: { 'first of all, round trips': first, 'cold (new head)': cold, 'warm (same head)': warm },
  }
}
