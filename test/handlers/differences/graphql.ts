import type { Row, World } from './row.ts'

const CALL_REVERTING = (world: World) => ({
  to: world.sample.failures,
  data: world.sample.encode('failures', 'withReason'),
})

export const GRAPHQL_ROWS: readonly Row[] = [
  {
    what: 'GraphQL: a call that reverts',
    ask: async world =>
      (
        (await world.graphql.data(
          `{ block { call(data: { to: "${world.sample.failures}", data: "${CALL_REVERTING(world).data}" }) { data status } } }`,
        )) as { block: { call: { data: string; status: string } } }
      ).block.call.data.startsWith('0x08c379a0'),
    answer: true,
    because: '| a `call` that reverts | the revert data | `0x` |',
  },
  {
    what: 'GraphQL: an estimateGas that reverts',
    ask: async world => {
      const { status, errors } = await world.graphql.ask(
        `{ block { estimateGas(data: { to: "${world.sample.failures}", data: "${CALL_REVERTING(world).data}" }) } }`,
      )
      return [status, errors?.[0]?.extensions?.['errorCode']]
    },
    answer: [400, 3],
    because: '| an `estimateGas` that reverts | status 400 with error code 3',
  },
  ...(
    [
      '{ block(number: -1) { number } }',
      '{ block(',
      'query($n: Long!) { block(number: $n) { number } }',
    ] as const
  ).map(
    (query): Row => ({
      what: `GraphQL: ${query}`,
      ask: async world => {
        const { status, errors } = await world.graphql.ask(query)
        return [status, errors?.length]
      },
      answer: [400, 1],
      because:
        '| negative block numbers, syntax errors, invalid variables, a missing `operationName` | status 400 with texts of this node',
    }),
  ),
  {
    what: 'GraphQL: an operationName that is missing',
    ask: async ({ graphql }) => {
      const body = JSON.stringify({ query: 'query a { chainID } query b { chainID }' })
      const headers = { 'content-type': 'application/json' }
      return (await graphql.send('/graphql', { method: 'POST', body, headers })).status
    },
    answer: 400,
    because:
      '| negative block numbers, syntax errors, invalid variables, a missing `operationName` | status 400 with texts of this node',
  },
  {
    what: 'GraphQL: variables of the type Long',
    ask: async world =>
      (await world.graphql.ask('query($n: Long!) { block(number: $n) { number } }', { n: 1 })).data,
    answer: { block: { number: '0x1' } },
    because: '| a `Long` in `variables` | a number or a string | fails |',
  },
  {
    what: 'GraphQL: logs without topics',
    ask: async world =>
      (await world.graphql.ask('{ logs(filter: { fromBlock: 0, toBlock: 0 }) { index } }')).data,
    answer: { logs: [] },
    because: '| `topics` in filters | optional | required |',
  },
  {
    what: 'GraphQL: a mutation by GET',
    ask: async world =>
      (
        await world.graphql.send(
          `/graphql?query=${encodeURIComponent('mutation { sendRawTransaction(data: "0x00") }')}`,
        )
      ).status,
    answer: 400,
    because: '| a mutation by GET | refused |',
  },
]
