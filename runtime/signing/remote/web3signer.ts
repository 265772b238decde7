import type { Agent } from 'node:https'
import { type Address, equalBytes, type Hash } from '../../../core/bytes/bytes.ts'
import { fromHex, toHex } from '../../../core/bytes/hex.ts'
import { bytesToBigint } from '../../../core/bytes/integer.ts'
import { type Seal, sealSigner } from '../../../core/block/codec/seal.ts'
import { HALF_ORDER } from '../../../core/crypto/recovery.ts'
import { SignerError } from '../signer.ts'
import { sendSignerRequest, type ClientTls } from './httpsRequest.ts'

/** One address of a signer that speaks web3signer's eth1 API. */
export type SignerEndpoint = {
  readonly url: URL
  readonly agent: Agent
  readonly tls: ClientTls
  readonly timeoutMs: number
}

/** A signature has 132 characters. */
const SIGNATURE_BYTES_MAX = 1024
/** Some thousand keys. */
const KEYS_BYTES_MAX = 1024 * 1024

const pathUnder = (base: URL, path: string): URL => {
  const url = new URL(base)
  url.pathname = `${url.pathname.replace(/\/$/, '')}${path}`
  return url
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The public keys of 64 bytes that the signer has: `GET /api/v1/eth1/publicKeys`. @throws SignerError */
export const requestPublicKeys = async ({
  url,
  ...connection
}: SignerEndpoint): Promise<readonly Uint8Array[]> => {
  const asked = pathUnder(url, '/api/v1/eth1/publicKeys')
  const list = parsed(await sendSignerRequest({ ...connection, url: asked, bytesMax: KEYS_BYTES_MAX }))
  if (!Array.isArray(list)) throw new SignerError('its list of public keys is not a JSON array')
  return list.flatMap(entry =>
    typeof entry === 'string' && /^0x(?:04)?[0-9a-f]{128}$/i.test(entry)
      ? [fromHex(`0x${entry.slice(-128)}`)]
      : [],
  )
}

/** The parity of `v`, which is 27 or 28 in web3signer's signatures. */
const parityOf = (v: number): number | undefined => (v === 27 || v === 28 ? v - 27 : v < 2 ? v : undefined)

const sealOf = (text: string): Seal => {
  // Plain text; some proxies of signers quote it.
  const hex = text.trim().replace(/^"(.*)"$/, '$1')
  if (!/^0x[0-9a-f]{130}$/i.test(hex)) throw new SignerError('its answer is not a signature of 65 bytes')
  const seal = fromHex(hex).slice()
  const parity = parityOf(seal[64] as number)
  if (parity === undefined) throw new SignerError('the last byte of its signature is not 27 or 28')
  if (bytesToBigint(seal.subarray(32, 64)) > HALF_ORDER)
    throw new SignerError('the s of its signature is above half the order of the curve')
  seal[64] = parity
  return seal
}

/**
 * The signature of `preimage`, which the signer hashes with keccak256 itself: `POST /api/v1/eth1/sign/{public key}`.
 * @throws SignerError, also for a signature of another key or of other bytes
 */
export const requestSignature = async (
  { url, ...connection }: SignerEndpoint,
  { address, publicKey }: { readonly address: Address; readonly publicKey: Uint8Array },
  digest: Hash,
  preimage: Uint8Array,
): Promise<Seal> => {
  const text = await sendSignerRequest({
    ...connection,
    url: pathUnder(url, `/api/v1/eth1/sign/${toHex(publicKey)}`),
    body: JSON.stringify({ data: toHex(preimage) }),
    bytesMax: SIGNATURE_BYTES_MAX,
  })
  const seal = sealOf(text)
  const signer = sealSigner(digest, seal)
  if (signer === undefined || !equalBytes(signer, address))
    throw new SignerError(
      `its signature is not that of ${toHex(address)} over the requested bytes${signer === undefined ? '' : `: it recovers to ${toHex(signer)}`}`,
    )
  return seal
}
