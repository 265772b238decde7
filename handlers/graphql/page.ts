/** Queries in the tabs of the page. They work on every chain with a first block. */
export const EXAMPLES: readonly string[] = [
  `# The latest block: its contents and its proposer.
query LatestBlock {
  block {
    number
    hash
    timestamp
    proposer
    round
    transactionCount
    gasUsed
    transactions {
      hash
      from { address }
      to { address }
      value
      status
    }
  }
}
`,
  `# An account at a block, and the result of a call.
query Account($address: Address = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266") {
  block {
    number
    account(address: $address) {
      balance
      transactionCount
      code
    }
    call(data: { to: $address }) {
      status
      gasUsed
      data
    }
  }
}
`,
  `# The state of the node and its network.
query Network {
  chainID
  gasPrice
  validators
  qbft {
    round
    signerMetrics {
      address
      proposedBlockCount
      lastProposedBlockNumber
    }
  }
  pending {
    transactionCount
  }
}
`,
]

/** Loads nothing from other hosts: the page works without internet access and discloses no query. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'unsafe-inline' 'unsafe-eval' blob:",
  'worker-src blob:',
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cache-control': 'no-cache',
  vary: 'accept-encoding',
}

/** GraphiQL is an optional peer dependency: 18 MB that only people in a browser need. */
const loadGraphiql = async () => {
  try {
    return await import('@graphql-yoga/render-graphiql')
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message?: unknown }
    if (code === 'ERR_MODULE_NOT_FOUND' || /cannot find/i.test(String(message))) return undefined
    throw error
  }
}

const MISSING_PAGE =
  '<!doctype html><title>Quorate GraphQL</title><p>GraphiQL is not installed. ' +
  'Install it with <code>npm install @graphql-yoga/render-graphiql</code> and start the node again, ' +
  'or send queries to this address with POST.</p>'

const render = async (): Promise<string> => {
  // Loaded on use: nine megabytes of script.
  const graphiql = await loadGraphiql()
  if (graphiql === undefined) return MISSING_PAGE
  return graphiql.renderGraphiQL({
    title: 'Quorate GraphQL',
    defaultTabs: EXAMPLES.map(query => ({ query })),
    ...(EXAMPLES[0] === undefined ? {} : { defaultQuery: EXAMPLES[0] }),
  })
}

const compress = (text: string): Promise<ArrayBuffer> =>
  new Response(new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer()

const decompressed = (bytes: ArrayBuffer): ReadableStream =>
  new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))

/** Serves GraphiQL as one self-contained page, built at the first request. */
export const createPage = (): ((request: Request) => Promise<Response>) => {
  let compressed: Promise<ArrayBuffer> | undefined
  return async request => {
    compressed ??= render().then(compress)
    const bytes = await compressed
    return /\bgzip\b/i.test(request.headers.get('accept-encoding') ?? '')
      ? new Response(bytes, { headers: { ...HEADERS, 'content-encoding': 'gzip' } })
      : new Response(decompressed(bytes), { headers: HEADERS })
  }
}

/** True for a browser's request for a page, rather than a program's. */
export const asksForPage = (request: Request): boolean =>
  request.method === 'GET' && /\btext\/html\b/i.test(request.headers.get('accept') ?? '')
