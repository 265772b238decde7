import type { NodeOptions } from '../../cli/nodeOptions.ts'
import type { Fetch } from '../../serving/serve.ts'
import { type Listener, listenFor, startingFailed } from './listener.ts'

/** Scrapes and probes have no body. */
const BODY_BYTES_MAX = 1024

/** Maximum open connections: several scrapers and probes, each with one request at a time. */
const CONNECTIONS_MAX = 256

/** Maximum open connections of one address, so that one client leaves room for the others. */
const CONNECTIONS_OF_ADDRESS_MAX = 32

/** Time for one request, its answer and reading it: the default timeout of a scrape is 10 seconds. */
const CONNECTION_MS_MAX = 15_000

export type MetricsListener = Listener<{ readonly fetch: Fetch }>

/** Listens as the options say. @throws CommandError when it cannot */
export const listenForMetrics = (options: NodeOptions): Promise<MetricsListener> =>
  listenFor<{ readonly fetch: Fetch }>({ fetch: startingFailed }, late => ({
    hostname: options.metricsHost,
    hostOption: 'metrics-host',
    portOption: 'metrics-port',
    port: options.metricsPort,
    fetch: (request, peer) => late.use(app => app.fetch(request, peer)),
    bodyBytesMax: BODY_BYTES_MAX,
    connectionsMax: CONNECTIONS_MAX,
    connectionsOfAddressMax: CONNECTIONS_OF_ADDRESS_MAX,
    requestsOfConnectionMax: 1,
    connectionMsMax: CONNECTION_MS_MAX,
  }))
