import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { fromHex, toHex } from '../../../../core/bytes/hex.ts'
import { callsOf, startTracingChain, type TracingChain } from './tracingChain.ts'

setDefaultTimeout(120_000)

const UNKNOWN = `0x${'12'.repeat(32)}`

let chain: TracingChain

beforeAll(async () => {
  chain = await startTracingChain()
})

afterAll(async () => {
  await chain?.node.close()
})

const { call, error } = callsOf(() => chain)

const TRACERS =
  'tracer must be one of callTracer, flatCallTracer, prestateTracer, erc7562Tracer, 4byteTracer, noopTracer, opcountTracer, muxTracer'

describe('given debug_trace…', () => {
  test('when noopTracer, opcountTracer and muxTracer run, then they answer as geth’s', async () => {
    const hash = chain.hashes['callAndLog']
    const trace = (tracer: string, tracerConfig = {}) =>
      call('debug_traceTransaction', hash, { tracer, tracerConfig })
    const { structLogs } = (await call('debug_traceTransaction', hash)) as { structLogs: readonly unknown[] }
    expect(await trace('noopTracer')).toEqual({})
    expect(await trace('opcountTracer')).toBe(structLogs.length)
    expect(
      await trace('muxTracer', {
        callTracer: { onlyTopCall: true },
        prestateTracer: null,
        opcountTracer: {},
      }),
    ).toEqual({
      callTracer: await trace('callTracer', { onlyTopCall: true }),
      prestateTracer: await trace('prestateTracer'),
      opcountTracer: structLogs.length,
    })
  })

  test('when debug_traceBlock gets the bytes of a block, then it answers as for its number', async () => {
    const number = chain.blockOf('callAndLog')
    const bytes = await call('debug_getRawBlock', number)
    const options = { tracer: 'callTracer' }
    const expected = await call('debug_traceBlockByNumber', number, options)
    expect(await call('debug_traceBlock', bytes, options)).toEqual(expected)
    const { hash } = (await call('eth_getBlockByNumber', number, false)) as { hash: string }
    expect(await call('debug_traceBlockByHash', hash, options)).toEqual(expected)
  })

  test('when debug_traceBlock gets no block, or one without its parent, then it is refused', async () => {
    for (const bad of [undefined, 5, '0x', '0xc0', '0x1234'])
      expect(await error('debug_traceBlock', bad)).toEqual([-32602, 'Invalid block param (block not found)'])
    const bytes = fromHex((await call('debug_getRawBlock', '0x2')) as string)
    // The parent's hash is the first field of the header.
    const orphan = bytes.slice()
    orphan[10] = (orphan[10] as number) ^ 1
    expect(await error('debug_traceBlock', toHex(orphan))).toEqual([-32000, 'Parent block not found'])
    const genesis = await call('debug_getRawBlock', '0x0')
    expect(await error('debug_traceBlock', genesis)).toEqual([-32000, 'genesis is not traceable'])
  })

  test.each([
    [5, 'must be an object of options'],
    [{ tracer: 'CALLTRACER' }, TRACERS],
    [{ tracer: '{}' }, TRACERS],
    [{ tracer: 'constructor' }, TRACERS],
    [{ disableStack: 'yes' }, 'disableStack must be true or false'],
    [{ limit: -1 }, 'limit must be a number of steps'],
    [{ opcodes: 'ADD' }, 'opcodes must be a list of names'],
    [{ tracer: 'callTracer', tracerConfig: 5 }, 'tracerConfig must be an object'],
    [
      { tracer: 'muxTracer', tracerConfig: { muxTracer: {} } },
      'muxTracer accepts every tracer except itself',
    ],
    [{ tracer: 'muxTracer', tracerConfig: { structTracer: {} } }, TRACERS],
    [
      { tracer: 'prestateTracer', tracerConfig: { diffMode: true, includeEmpty: true } },
      'includeEmpty has no effect with diffMode, which contains every change',
    ],
    [{ tracer: 'callTracer', tracerConfig: { withLog: 2 } }, 'withLog must be true or false'],
  ])('when the options are %j, then they are refused', async (options, why) => {
    const refused = [-32602, `Invalid transaction trace params (${why})`]
    expect(await error('debug_traceTransaction', chain.hashes['transfer'], options)).toEqual(refused)
    expect(await error('debug_traceBlockByNumber', '0x1', options)).toEqual(refused)
    expect(await error('debug_traceCall', {}, 'latest', options)).toEqual(refused)
  })

  test('when block or transaction do not exist, then it is refused as in geth and the execution-apis', async () => {
    expect(await error('debug_traceTransaction', UNKNOWN)).toEqual([-32000, 'Transaction not found'])
    expect(await error('debug_traceBlockByHash', UNKNOWN)).toEqual([-32000, 'Block not found'])
    expect(await error('debug_traceBlockByNumber', '0x1000')).toEqual([-32000, 'Block not found'])
    expect(await error('debug_traceBlockByNumber', '0x0')).toEqual([-32000, 'genesis is not traceable'])
    expect(await error('debug_traceBlockByHash', '0x12')).toEqual([-32602, 'Invalid block hash params'])
  })
})
