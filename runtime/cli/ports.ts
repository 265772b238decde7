/** Default ports of a node: Besu's. */
export const RPC_PORT = 8545
export const WS_PORT = 8546
export const GRAPHQL_PORT = 8547
export const METRICS_PORT = 9545
export const P2P_PORT = 30_303

/** JSON-RPC of a node on this machine. */
export const LOCAL_RPC_URL = `http://127.0.0.1:${RPC_PORT}`
