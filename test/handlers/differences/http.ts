import { parseCredentials } from '../../../handlers/auth/login/credentials.ts'
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
    because: '| `method` that is not a string | -32600 with status 400 | -32601 |',
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
      because: '| body `null`, or JSON with comments | -32700 with status 400 | 500, and accepts comments |',
    }),
  ),
  {
    what: 'HEAD /',
    ask: world => world.http('/', { method: 'HEAD' }).then(({ status }) => status),
    answer: 201,
    because: '| `HEAD /` | as `GET /`, without the body | 405 |',
  },
  // Without authentication there is no login, as on Besu; the path is there.
  {
    what: 'other spellings of a path',
    ask: async world =>
      Promise.all(
        ['//', '/login/', '/%6cogin', '/login'].map(async path => {
          const { status, headers } = await world.http(path, {
            method: 'POST',
            body: REQUEST,
            redirect: 'manual',
          })
          return [status, headers.get('location')]
        }),
      ),
    answer: [
      [308, '/'],
      [308, '../login'],
      [404, null],
      [400, null],
    ],
    because:
      '| `//`, `/login/`, `/graphql/`, `/liveness/`, `/readiness/` | redirected (308) to the path without the slash',
  },
  {
    what: 'the content type of an error',
    ask: world => statusOf(post(world, '[]')),
    answer: [400, 'application/json'],
    because: '| content type of an error | `application/json` | none |',
  },
  {
    what: 'the content type of the answer to a notification',
    ask: world => statusOf(post(world, '{"jsonrpc":"2.0","method":"eth_chainId"}')),
    answer: [200, null],
    because: '| content type of the empty answer to a notification | none |',
  },
  {
    what: 'the body of /readiness',
    ask: world =>
      world.http('/readiness').then(async response => Object.keys((await response.json()) as object)),
    answer: ['status', 'reasons', 'checks'],
    because: '| body of `/readiness` | more `checks`, and the `reasons` of a 503 in sentences',
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
    because: '| `permissions = []` in a credentials file | grants nothing',
  },
]
