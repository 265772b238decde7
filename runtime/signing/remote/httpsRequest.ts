import type { Agent } from 'node:https'
import process from 'node:process'
import { createBodyUnits } from '../../../handlers/inbound/bodyUnits.ts'
import { connectionFailureReason } from '../../files/reason.ts'
import { SignerError } from '../signer.ts'

/** Certificates in PEM: of the authorities that issue the signer's certificate, and of this node as its client. */
export type ClientTls = {
  readonly ca: string | undefined
  readonly cert: string | undefined
  readonly key: string | undefined
}

export type SignerRequest = {
  readonly url: URL
  /** JSON of a POST; undefined for a GET. */
  readonly body?: string
  readonly agent: Agent
  readonly tls: ClientTls
  readonly timeoutMs: number
  /** Maximum length of the answer. */
  readonly bytesMax: number
}

/** Connections to one signer: consensus asks for one signature at a time. */
const SOCKETS_MAX = 2

/** On use: most nodes have their key in a file, and loading these modules takes their start some time. */
const httpModule = () => process.getBuiltinModule('node:http')
const httpsModule = () => process.getBuiltinModule('node:https')

export const createSignerAgent = (): Agent =>
  new (httpsModule().Agent)({ keepAlive: true, maxSockets: SOCKETS_MAX })

const tlsOf = ({ ca, cert, key }: ClientTls) => ({
  ...(ca === undefined ? {} : { ca }),
  ...(cert === undefined ? {} : { cert }),
  ...(key === undefined ? {} : { key }),
})

const headersOf = (body: string | undefined) => ({
  accept: 'application/json, text/plain',
  ...(body === undefined
    ? {}
    : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
})

/** The text of the answer. @throws SignerError for a failed connection, another status than 200, and after `timeoutMs` */
export const sendSignerRequest = ({
  url,
  body,
  agent,
  tls,
  timeoutMs,
  bytesMax,
}: SignerRequest): Promise<string> =>
  new Promise((resolve, reject) => {
    const isTls = url.protocol === 'https:'
    const fail = (reason: string): void => {
      clearTimeout(timer)
      reject(new SignerError(reason))
      request.destroy()
    }
    const timer = setTimeout(() => fail(`no response within ${timeoutMs} ms`), timeoutMs)
    const common = { method: body === undefined ? 'GET' : 'POST', headers: headersOf(body) }
    const request = isTls
      ? httpsModule().request(url, { ...common, agent, ...tlsOf(tls) })
      : httpModule().request(url, common)
    request.on('error', cause => fail(connectionFailureReason(cause)))
    request.on('response', response => {
      let text = ''
      const units = createBodyUnits(bytesMax)
      // The operator chose the signer.
      units.identify()
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
        if (units.take(chunk.length) !== 'taken') fail('its answer comes in too many chunks of a few bytes')
        else if (text.length > bytesMax) fail(`its answer is longer than ${bytesMax} bytes`)
      })
      response.on('error', cause => fail(connectionFailureReason(cause)))
      response.on('end', () => {
        if (response.statusCode !== 200) return fail(`it answered with the status ${response.statusCode}`)
        clearTimeout(timer)
        resolve(text)
      })
    })
    request.end(body)
  })
