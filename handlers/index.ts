/** `quorate/rpc`: JSON-RPC over HTTP and WebSocket as web-standard handlers. */
export { createRpcApp, createRpcContext, HTTP_DEFAULTS, OPEN_ACCESS } from './http/app.ts'
export type { HttpAccess, HttpOptions, RpcApp } from './http/app.ts'
export { createInboundLimits, type InboundLimits } from './inbound/inboundLimits.ts'
export {
  RPC_DEFAULTS,
  type RpcContext,
  type RpcHost,
  type RpcNetwork,
  type RpcOptions,
} from './rpc/context.ts'
export type { SyncingStatus } from '../core/chain/syncingStatus.ts'
export type { HealthProblems, RpcMiner, RpcPeer, StandingVotes } from './rpc/context.ts'
export { RPC_ERRORS, RpcError, type RpcErrorName } from './rpc/errors.ts'
export type { Method } from './rpc/method.ts'
export { METHODS } from './rpc/methods/methodTable.ts'
export { createReadOnlyHost, type ReadOnlyHostOptions } from './rpc/readOnlyHost.ts'
export { createWsApp, type WsApp, type WsOptions } from './ws/app.ts'
export type { Session, Socket, Upgrade } from './ws/socket.ts'
