import { describe, expect, test } from 'bun:test'
import { requestScheduler } from '../../../../handlers/inbound/requestScheduler.ts'
import { TransactionRejected } from '../../../../core/txpool/rejection.ts'
import type { RpcContext, RpcOptions } from '../../../../handlers/rpc/context.ts'
import { type Caller, EVERYONE } from '../../../../handlers/auth/caller.ts'
import { type Client, createDispatcher, type Reply } from '../../../../handlers/rpc/dispatch/dispatcher.ts'
import type { ReplyBody } from '../../../../handlers/rpc/dispatch/envelope.ts'
import { RpcError } from '../../../../handlers/rpc/errors.ts'
import { JSON_DEPTH_MAX } from '../../../../handlers/rpc/json/parse.ts'
import { pieceText } from '../../../../handlers/rpc/json/jsonPieces.ts'
import type { Method } from '../../../../handlers/rpc/method.ts'
import { testMethod } from '../../support/testMethod.ts'
import { until } from '../../../support/until.ts'
import { turns } from '../../../support/turns.ts'

const executed: string[] = []

const METHODS: readonly Method[] = [
  testMethod('eth_echo', ({ params }) => {
    executed.push('eth_echo')
    return params
  }),
  testMethod('eth_later', async () => {
    await Promise.resolve()
    return 'later'
  }),
  testMethod('eth_nothing', () => {}),
  testMethod('eth_refuse', () => {
    throw new RpcError('EXECUTION_REVERTED', { detail: 'no', data: '0x01' })
  }),
  testMethod('eth_refuseLater', async () => {
    await Promise.resolve()
    throw new TransactionRejected('NONCE_TOO_LOW', 'the values')
  }),
  testMethod('eth_parse', () => {
    throw new RpcError('PARSE_ERROR')
  }),
  testMethod('eth_break', () => {
    throw new TypeError('a bug')
  }),
  testMethod('eth_untilGone', async ({ expired }) => {
    await until(expired)
    executed.push('eth_untilGone ended')
  }),
  testMethod('eth_never', () => new Promise(() => {})),
  testMethod('eth_together', () => 'alone', {
    handleMany: calls =>
      Promise.resolve(calls.map(({ params }) => ({ result: `${String(params[0])} of ${calls.length}` }))),
  }),
  testMethod('debug_metrics', () => 1),
  testMethod('rpc_modules', () => 'always'),
]

const reported: string[] = []

const handle = async (
  body: string,
  options: Partial<RpcOptions> = {},
  caller = EVERYONE,
  client?: Client,
): Promise<Reply> => {
  const context = {
    options: { apis: ['ETH'], batchSizeMax: 4, timeoutMs: 5_000, prettyPrint: false, ...options },
    scheduler: requestScheduler(),
    reportError: (name: string, error: unknown) => reported.push(`${name}: ${(error as Error).message}`),
  } as unknown as RpcContext
  return await createDispatcher(METHODS, context).handle(body, caller, client)
}

const error = (id: string, code: number, message: string, data?: string): string =>
  `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message, data })}}`

const PARSE_ERROR = error('null', -32700, 'Parse error')
const invalid = (id: string): string => error(id, -32600, 'Invalid Request')

const request = (members: string): string => `{"jsonrpc":"2.0","method":"eth_echo",${members}}`
const echo = (id: string, params: string): string => `{"jsonrpc":"2.0","id":${id},"result":${params}}`

const parsed = (body: ReplyBody): readonly { readonly result: unknown }[] =>
  JSON.parse(typeof body === 'string' ? body : body.map(pieceText).join(''))

describe('given a single request', () => {
  const CASES: readonly (readonly [when: string, body: string, status: number, answer: string])[] = [
    ['the body is empty', '', 400, PARSE_ERROR],
    ['the body is no JSON', '{"id":1', 400, PARSE_ERROR],
    ['the body is a string', '"eth_echo"', 400, PARSE_ERROR],
    ['the body is a number', '1', 400, PARSE_ERROR],
    ['the body is null', 'null', 400, PARSE_ERROR],
    ['the body nests too deep', '['.repeat(JSON_DEPTH_MAX + 1), 400, PARSE_ERROR],
    ['the body is an empty batch', '[]', 400, invalid('null')],
    ['there is no method', '{"jsonrpc":"2.0","id":7}', 400, invalid('7')],
    ['the method is null', '{"id":7,"method":null}', 400, invalid('7')],
    ['there is no method and the id is a string', '{"id":"7"}', 400, invalid('null')],
    ['the body is an empty object', '{}', 400, invalid('null')],
    ['params are an object', request('"id":1,"params":{}'), 400, invalid('1')],
    ['params are a string', request('"id":1,"params":"0x1"'), 400, invalid('1')],
    ['the id is an object', request('"id":{}'), 400, invalid('null')],
    ['the id is an array', request('"id":[1]'), 400, invalid('null')],
    ['the id is a boolean', request('"id":true'), 400, invalid('null')],
    ['the id is an integer', request('"id":42'), 200, echo('42', '[]')],
    ['the id is negative', request('"id":-3'), 200, echo('-3', '[]')],
    ['the id is a string', request('"id":"a\\"b"'), 200, echo('"a\\"b"', '[]')],
    ['the id is a decimal', request('"id":1.50'), 200, echo('1.50', '[]')],
    [
      'the id is a larger integer than a double holds',
      request('"params":["\\"id\\":1"],"id":123456789012345678901234567890'),
      200,
      echo('123456789012345678901234567890', '["\\"id\\":1"]'),
    ],
    ['the id is written with an exponent', request('"id":1e400'), 200, echo('1e400', '[]')],
    [
      'the id comes twice',
      '{"id":1,"method":"eth_echo", "id" : 9007199254740993 }',
      200,
      echo('9007199254740993', '[]'),
    ],
    ['the id is null', request('"id":null'), 200, echo('null', '[]')],
    ['there is no id', request('"params":[1]'), 200, ''],
    ['jsonrpc is missing', '{"id":1,"method":"eth_echo"}', 200, echo('1', '[]')],
    ['jsonrpc is another', '{"jsonrpc":"1.0","id":1,"method":"eth_echo"}', 200, echo('1', '[]')],
    ['there are more members', request('"id":1,"more":{"id":2}'), 200, echo('1', '[]')],
    ['params are null', request('"id":1,"params":null'), 200, echo('1', '[]')],
    ['params are given', request('"id":1,"params":["a",{"b":[1]}]'), 200, echo('1', '["a",{"b":[1]}]')],
    [
      'nobody knows the method',
      '{"id":1,"method":"eth_hashrate"}',
      200,
      error('1', -32601, 'Method not found'),
    ],
    [
      'the group of the method is off',
      '{"id":1,"method":"debug_metrics"}',
      200,
      error(
        '1',
        -32604,
        'Method not enabled',
        'add DEBUG to --rpc-http-api, or over WebSocket to --rpc-ws-api',
      ),
    ],
    [
      'Besu knows the method and it is not here',
      '{"id":1,"method":"ibft_getPendingVotes"}',
      200,
      error('1', -32604, 'Method not enabled', 'this node does not have the method'),
    ],
    ['the method is of no group', '{"id":1,"method":"rpc_modules"}', 200, echo('1', '"always"')],
    ['the method answers later', '{"id":1,"method":"eth_later"}', 200, echo('1', '"later"')],
    ['the method answers nothing', '{"id":1,"method":"eth_nothing"}', 200, echo('1', 'null')],
    [
      'the method refuses',
      '{"id":1,"method":"eth_refuse"}',
      200,
      '{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"Execution reverted (no)","data":"0x01"}}',
    ],
    [
      'the pool refuses',
      '{"id":1,"method":"eth_refuseLater"}',
      200,
      error('1', -32001, 'Nonce too low', 'the values'),
    ],
    [
      'the method calls it a parse error',
      '{"id":1,"method":"eth_parse"}',
      400,
      error('1', -32700, 'Parse error'),
    ],
  ]

  test.each(CASES)('when %s, then it is answered by Besu’s rules', async (_, body, status, answer) => {
    expect(await handle(body)).toEqual({ status, body: answer })
  })

  test('when it has no id, then it is not executed', async () => {
    executed.length = 0
    await handle(request('"params":[]'))
    await handle(`[${request('"params":[]')}]`)
    expect(executed).toEqual([])
  })

  test('when a method has a bug, then the client gets an internal error and the operator the cause', async () => {
    reported.length = 0
    expect(await handle('{"id":1,"method":"eth_break"}')).toEqual({
      status: 200,
      body: error('1', -32603, 'Internal error'),
    })
    expect(reported).toEqual(['eth_break: a bug'])
  })

  test('when it takes too long, then it is given up with 408', async () => {
    expect(await handle('{"id":1,"method":"eth_never"}', { timeoutMs: 5 })).toEqual({
      status: 408,
      body: error('null', -32603, 'Timeout expired'),
    })
  })

  test('when the client disconnects, then its work ends and none begins', async () => {
    executed.length = 0
    let isGone = false
    const isGoneLater = { isGone: () => isGone }
    const one = handle('{"id":1,"method":"eth_untilGone"}', {}, EVERYONE, isGoneLater)
    const batch = `[{"id":1,"method":"eth_untilGone"},${request('"id":2')}]`
    const several = handle(batch, {}, EVERYONE, isGoneLater)
    await turns(5)
    expect(executed).toEqual([])
    isGone = true
    await Promise.all([one, several])
    expect(executed).toEqual(['eth_untilGone ended', 'eth_untilGone ended'])
  })

  test('when pretty printing is on, then its answer is indented', async () => {
    expect((await handle(request('"id":1,"params":[1]'), { prettyPrint: true })).body).toBe(
      '{\n  "jsonrpc" : "2.0",\n  "id" : 1,\n  "result" : [\n    1\n  ]\n}',
    )
  })
})

describe('given a batch', () => {
  test('when elements are not requests, then each has its error, in order', async () => {
    const { status, body } = await handle(
      `[${request('"id":1,"params":["a"]')},5,{"id":3},${request('"id":9007199254740993')}]`,
    )
    expect(status).toBe(200)
    expect(body).toBe(
      `[${[echo('1', '["a"]'), invalid('null'), invalid('3'), echo('9007199254740993', '[]')].join(',')}]`,
    )
  })

  test('when elements have no id, then they have no answer', async () => {
    expect(await handle(`[${request('"params":[]')},${request('"id":2')}]`)).toEqual({
      status: 200,
      body: `[${echo('2', '[]')}]`,
    })
    expect(await handle(`[${request('"params":[]')}]`)).toEqual({ status: 200, body: '' })
  })

  test('when it contains a batch, then that element is not a request', async () => {
    expect((await handle(`[[${request('"id":1')}]]`)).body).toBe(`[${invalid('null')}]`)
  })

  test('when it exceeds the limit, then the whole batch is refused; 0 means no limit', async () => {
    const five = `[${Array.from({ length: 5 }, (_, id) => request(`"id":${id}`)).join(',')}]`
    executed.length = 0
    expect(await handle(five)).toEqual({
      status: 200,
      body: error('null', -32005, 'Number of requests exceeds max batch size'),
    })
    expect(executed).toEqual([])
    expect(parsed((await handle(five, { batchSizeMax: 0 })).body)).toHaveLength(5)
  })

  test('when neighbours call one method, then that method gets them together, and no others', async () => {
    const calls = ['together', 'together', 'echo', 'together'].map(
      (name, id) => `{"id":${id},"method":"eth_${name}","params":[${id}]}`,
    )
    expect(parsed((await handle(`[${calls.join(',')}]`)).body).map(one => one.result)).toEqual([
      '0 of 2',
      '1 of 2',
      [2],
      '3 of 1',
    ])
  })

  test('when elements fail, then the status is 200 nevertheless', async () => {
    expect((await handle('[{"id":1,"method":"eth_parse"}]')).status).toBe(200)
  })
})

describe('given nested JSON', () => {
  test('when it is at the limit, then it is read, and brackets within strings do not count', async () => {
    const deep = '['.repeat(JSON_DEPTH_MAX - 2) + ']'.repeat(JSON_DEPTH_MAX - 2)
    expect((await handle(request(`"id":1,"params":[${deep}]`))).status).toBe(200)
    expect((await handle(request(`"id":1,"params":[[${deep}]]`))).status).toBe(400)
    expect((await handle(request(`"id":1,"params":["\\\\\\"${'['.repeat(99)}"]`))).status).toBe(200)
  })
})

describe('given a caller who may run one method', () => {
  const denials: string[] = []
  const caller: Caller = {
    permits: ({ name }) => name === 'eth_later',
    denied: ({ name }) => void denials.push(name),
  }

  test('when another is asked for, then it is refused before it runs, alone and in a batch', async () => {
    executed.length = 0
    const alone = await handle('{"id":1,"method":"eth_echo"}', {}, caller)
    expect(alone).toEqual({ status: 401, body: error('1', -40100, 'Unauthorized') })
    const batch = await handle('[{"id":1,"method":"eth_echo"},{"id":2,"method":"eth_later"}]', {}, caller)
    expect(batch.body).toBe(
      `[${error('1', -40100, 'Unauthorized')},{"jsonrpc":"2.0","id":2,"result":"later"}]`,
    )
    expect(batch.status).toBe(200)
    expect(executed).toEqual([])
    expect(denials).toEqual(['eth_echo', 'eth_echo'])
  })
})
