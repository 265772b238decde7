import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { fromHex, toHex } from '../../../core/bytes/hex.ts'
import { sealOfSignature } from '../../../core/block/codec/seal.ts'
import { keccak256, publicKeyOf, sign } from '../../../core/crypto/crypto.ts'
import type { Certificate } from '../../support/programs/certificates.ts'

/** The answer to a signing request; undefined for none at all. */
export type Behaviour = (data: Uint8Array) => { readonly status: number; readonly text: string } | undefined

/** As web3signer signs: keccak256 of the data, v of 27 or 28. */
export const signature = (privateKey: Uint8Array, data: Uint8Array): string => {
  const seal = sealOfSignature(sign(keccak256(data), privateKey)).slice()
  seal[64] = (seal[64] as number) + 27
  return toHex(seal)
}

export const honest =
  (privateKey: Uint8Array): Behaviour =>
  data => ({ status: 200, text: signature(privateKey, data) })

export type SignerServer = {
  readonly url: string
  readonly port: number
  behaviour: Behaviour
  /** What it was asked to sign. */
  readonly asked: Uint8Array[]
  stop(): Promise<void>
}

/** A server with web3signer's eth1 API over HTTPS that requires a client certificate of the authority. */
export const startSigner = async (
  privateKey: Uint8Array,
  { cert, key }: Certificate,
  authority: Certificate,
  port = 0,
): Promise<SignerServer> => {
  const asked: Uint8Array[] = []
  const publicKey = toHex(publicKeyOf(privateKey))
  const server = createServer(
    {
      cert: readFileSync(cert),
      key: readFileSync(key),
      ca: readFileSync(authority.cert),
      requestCert: true,
      rejectUnauthorized: true,
    },
    (request, response) => {
      let body = ''
      request.on('data', chunk => {
        body += chunk
      })
      request.on('end', () => {
        if (request.url === '/api/v1/eth1/publicKeys') return response.end(JSON.stringify([publicKey]))
        if (request.method !== 'POST' || request.url !== `/api/v1/eth1/sign/${publicKey}`)
          return response.writeHead(404).end()
        const data = fromHex((JSON.parse(body) as { data: string }).data)
        asked.push(data)
        const answer = started.behaviour(data)
        if (answer !== undefined) response.writeHead(answer.status).end(answer.text)
      })
    },
  )
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  const listening = (server.address() as AddressInfo).port
  const started: SignerServer = {
    url: `https://127.0.0.1:${listening}`,
    port: listening,
    behaviour: honest(privateKey),
    asked,
    stop: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  return started
}
