import { parseCredentials } from '../../../handlers/auth/credentials.ts'
import type { RpcReply } from '../support/testNode.ts'
import type { Row, World } from './row.ts'

const statusOf = async (response: Promise<Response>): Promise<unknown> => {
  const { status, headers } = await response
  return [status, headers.get('content-type')]
}

const post = (world: World, body: string, path = '/'): Promise<Response> =>
  world.http(path, { method: 'POST', body })

const REQUEST = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
export const HTTP_ROWS: readonly Row[] = [
  {
    what: 'method: 5',
    ask: world =>
      post(world, '{"jsonrpc":"2.0","id":1,"method":5}').then(async response => [
        response.status,
        ((await response.json()) as RpcReply).error?.code,
      ]),
    answer: [400, -32600],
    because: 'A request whose `method` is no text is -32600 with status 400 (Besu: -32601)',
  },
  ...(['null', `/* a comment */${REQUEST}`] as const).map(
    (body): Row => ({
      what: `the body ${body}`,
      ask: world =>
        post(world, body).then(async response => [
          response.status,
          ((await response.json()) as RpcReply).error?.code,
        ]),
      answer: [400, -32700],
      because:
        'the body `null` is -32700 with 400 (Besu: 500), and so is JSON with comments, which Besu takes',
    }),
  ),
  {
    what: 'HEAD /',
    ask: world => world.http('/', { method: 'HEAD' }).then(({ status }) => status),
    answer: 201,
    because: '`HEAD /` is answered as `GET /` without the body, as HTTP has it; Besu answers 405.',
  },
  { what: 'POST //', ask: world => statusOf(post(world, REQUEST, '//')), answer: [200, 'application/json'] },
  // Without authentication there is no login, as on Besu; the path is there.
  {
    what: 'POST /login/',
    ask: async world => [
      (await post(world, '{}', '/login/')).status,
      (await post(world, '{}', '/login')).status,
    ],
    answer: [400, 400],
  },
  {
    what: 'the content type of an error',
    ask: world => statusOf(post(world, '[]')),
    answer: [400, 'application/json'],
    because:
      'Bodies of errors have the content type `application/json`, the empty answer to a notification has none; Besu has it the other way round.',
  },
  {
    what: 'the content type of the answer to a notification',
    ask: world => statusOf(post(world, '{"jsonrpc":"2.0","method":"eth_chainId"}')),
    answer: [200, null],
    because: 'the empty answer to a notification has none',
  },
  {
    what: 'the body of /readiness',
    ask: world =>
      world.http('/readiness').then(async response => Object.keys((await response.json()) as object)),
    answer: ['status', 'reasons', 'checks'],
    because:
      "The body of `/readiness` has more `checks` than Besu's, and the `reasons` of a 503 in sentences",
  },
  {
    what: 'permissions = [] in a credentials file',
    ask: () =>
      Promise.resolve(
        parseCredentials(
          '[Users.a]\npassword = "$2a$10$vpLDTuYFbhzGOmfBlQqjNeHYvpHyWgCLGvqQsS5yn1eKsWfFAxRLi"\npermissions = []\n',
        ),
      ).then(users => users === undefined),
    answer: false,
    because: 'A credentials file with `permissions = []` grants nothing; Besu refuses to start with it',
  },
]
