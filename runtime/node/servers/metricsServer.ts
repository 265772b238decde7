import type { NodeOptions } from '../../cli/nodeOptions.ts'
import type { Fetch } from '../../serving/serve.ts'
import { type Listener, listenFor, startingFailed } from './listener.ts'

/** Scrapes and probes have no body. */
const BODY_BYTES_MAX = 1024

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
  }))
