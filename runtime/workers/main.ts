import { createWorker } from './createWorker.ts'
import { storeOf } from './stores.ts'

export { ChainObject } from './chainObject.ts'

/** The Worker over the stores of Cloudflare. */
export default createWorker(storeOf)
