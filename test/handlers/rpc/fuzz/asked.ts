import { REJECTIONS } from '../../../../core/txpool/rejection.ts'
import { RPC_ERRORS } from '../../../../handlers/rpc/errors.ts'
import type { TestNode } from '../../support/testNode.ts'

const CODES: ReadonlySet<number> = new Set([
  ...Object.values(RPC_ERRORS).map(({ code }) => code),
  ...Object.values(REJECTIONS).map(({ rpcCode }) => rpcCode),
])

/** What no answer has: places in the source, or the way there. */
const LEAK = /\n\s+at |\.ts\b|node_modules|TypeError|RangeError|is not a function|Cannot read/

/** Nobody's fault but the clock's, and the code of the execution-apis for the last nonce in eth_simulateV1. */
const OWN_FAULT = /^Timeout expired$|^Nonce has max value/

/** What is wrong with an answer; undefined where nothing is. */
export const faultOf = (text: string): string | undefined => {
  let reply: unknown
  try {
    reply = JSON.parse(text)
  } catch {
    return `no JSON: ${text.slice(0, 200)}`
  }
  if (typeof reply !== 'object' || reply === null) return 'no object'
  const { jsonrpc, error, ...rest } = reply as Record<string, unknown>
  if (jsonrpc !== '2.0' || !('id' in rest)) return 'no JSON-RPC'
  if (error === undefined) return 'result' in rest ? undefined : 'neither a result nor an error'
  if ('result' in rest) return 'a result and an error'
  const { code, message } = error as Record<string, unknown>
  if (typeof code !== 'number' || !CODES.has(code))
    return `the code ${JSON.stringify(code)} is not in the table`
  if (typeof message !== 'string') return 'no message'
  if (code === -32603 && !OWN_FAULT.test(message)) return `calls it the fault of the node: ${message}`
  return LEAK.test(JSON.stringify(error)) ? `tells of the source: ${message}` : undefined
}

/** Longer than any answer takes on a busy machine. */
const HANG_MS = 60_000

/** What the answer says, or that none came. */
export const orHang = async (answer: Promise<string | undefined>): Promise<string | undefined> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<string>(resolve => {
    timer = setTimeout(() => resolve('no answer'), HANG_MS)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Asks the node and gives what is wrong with its answer; undefined where nothing is. */
export const faultWhenAsked = async (
  node: TestNode,
  method: string,
  params: readonly unknown[],
): Promise<string | undefined> => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const request = new Request('http://localhost/', { method: 'POST', body, headers: { host: 'localhost' } })
  return await orHang(
    Promise.resolve(node.fetch(request)).then(async response =>
      response.status === 200 || response.status === 400
        ? faultOf(await response.text())
        : `HTTP ${response.status}`,
    ),
  )
}
