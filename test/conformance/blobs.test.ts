import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { fromHex, toHex } from '../../core/bytes/hex.ts'
import { encodeEnvelope } from '../../core/block/codec/envelope.ts'
import type { BlobSidecar } from '../../core/block/codec/networkTransaction.ts'
import { decodeRlp, type RlpInput } from '../../core/rlp/rlp.ts'
import { createRpcApp, HTTP_DEFAULTS } from '../../handlers/http/app.ts'
import { HASHES, SIDECARS } from '../core/txpool/blobs/vector.ts'
import { sharedPath } from '../support/published/shared.ts'
import { openPublishedNode, type PublishedNode } from './publishedNode.ts'

// Proofs of cells take some tenths of a second each time.
setDefaultTimeout(120_000)

const genesis = sharedPath('conformance/execution-apis/genesis.json')
const blocks = sharedPath('conformance/execution-apis/chain.rlp')
const missing = genesis === undefined || blocks === undefined

const ACCOUNT = privateKeyToAccount(generatePrivateKey())

type Reply = {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** The block form, as it stands in a block. */
const signed = async (chainId: bigint, nonce: number): Promise<Uint8Array> =>
  fromHex(
    await ACCOUNT.signTransaction({
      type: 'eip4844',
      chainId: Number(chainId),
      nonce,
      gas: 21_000n,
      maxFeePerGas: 2_000_000_000n,
      maxPriorityFeePerGas: 1n,
      maxFeePerBlobGas: 1n,
      to: ACCOUNT.address,
      blobVersionedHashes: HASHES.map(hash => toHex(hash) as `0x${string}`),
    }),
  )

/** The form in which it is sent. */
const withSidecar = (bytes: Uint8Array, { version, blobs, commitments, proofs }: BlobSidecar): string => {
  const fields = decodeRlp(bytes.subarray(1)) as RlpInput
  return toHex(
    encodeEnvelope(3, [fields, ...(version === 1 ? [Uint8Array.of(1)] : []), blobs, commitments, proofs]),
  )
}

describe.skipIf(missing)(`given blobs on a public chain${missing ? ' (../shared is not there)' : ''}`, () => {
  let node: PublishedNode
  let send: (raw: string) => Promise<Reply>
  beforeAll(async () => {
    node = await openPublishedNode(genesis as string, blocks as string)
    const { fetch } = createRpcApp(node.context, HTTP_DEFAULTS)
    send = async raw => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [raw] })
      const headers = { host: 'localhost' }
      const response = await fetch(new Request('http://localhost/', { method: 'POST', body, headers }))
      return (await response.json()) as Reply
    }
  })
  afterAll(() => node.close())
  const sign = (nonce: number): Promise<Uint8Array> => signed(node.context.chain.configuration.chainId, nonce)

  test.each([0, 1] as const)('when a transaction has them in form %d, then it is accepted', async version => {
    const { result } = await send(withSidecar(await sign(version), SIDECARS[version]))
    const pooled = node.context.pool.get(fromHex(result as string))
    expect(pooled?.transaction.blobVersionedHashes).toEqual(HASHES)
  })

  test('when they are missing or their proofs do not hold, then it is refused', async () => {
    const bytes = await sign(2)
    expect((await send(toHex(bytes))).error).toMatchObject({
      code: -32602,
      message: 'Invalid transaction type',
    })
    const [first, second, ...rest] = SIDECARS[1].proofs as [Uint8Array, Uint8Array, ...Uint8Array[]]
    const exchanged = { ...SIDECARS[1], proofs: [second, first, ...rest] }
    expect((await send(withSidecar(bytes, exchanged))).error).toEqual({
      code: -32602,
      message: 'blobs failed kzg validation',
    })
  })
})
