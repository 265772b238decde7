import { RpcError } from '../../errors.ts'
import { readLogFilter } from '../../logs/filter.ts'
import { installedLogsText, searchLogsText } from '../../logs/search.ts'
import { type Method, method, type Params } from '../../method.ts'
import { given, integerOf } from '../../parameters/values.ts'
import { toQuantity } from '../../../../core/bytes/hex.ts'

/** A filter's id in the registry's form. */
const filterId = (params: Params): string => {
  const value = given(params, 0)
  // The text is Besu's.
  if (typeof value !== 'string') throw new RpcError('INVALID_FILTER')
  const id = integerOf(value)
  return id === undefined ? value : toQuantity(id)
}

/** Logs, by search and by polling. */
export const ETH_LOG_METHODS: readonly Method[] = [
  method({
    name: 'eth_getLogs',
    summary: 'Returns the logs that match a filter',
    params: { filter: 'LogFilter' },
    result: 'Logs',
    handle: ({ params, expired }, context) =>
      searchLogsText(context, readLogFilter(given(params, 0)), context.options.logsRangeMax, expired),
  }),
  method({
    name: 'eth_newFilter',
    summary: 'Creates a log filter',
    params: { filter: 'LogFilter' },
    result: 'Quantity',
    handle: ({ params }, { filters }) => filters.newLogFilter(readLogFilter(given(params, 0))),
  }),
  method({
    name: 'eth_newBlockFilter',
    summary: 'Creates a filter of new blocks',
    params: {},
    result: 'Quantity',
    handle: (_, { filters }) => filters.newBlockFilter(),
  }),
  method({
    name: 'eth_newPendingTransactionFilter',
    summary: 'Creates a filter of pending transactions',
    params: {},
    result: 'Quantity',
    handle: (_, { filters }) => filters.newPendingFilter(),
  }),
  method({
    name: 'eth_getFilterChanges',
    summary: 'Returns what matched a filter since the last poll',
    params: { filterId: 'FilterId' },
    result: 'Changes',
    handle: ({ params, expired }, { filters }) => filters.changes(filterId(params), expired),
  }),
  method({
    name: 'eth_getFilterLogs',
    summary: 'Returns all logs that match a log filter',
    params: { filterId: 'FilterId' },
    result: 'Logs',
    handle: ({ params, expired }, context) =>
      installedLogsText(
        context,
        context.filters.logFilter(filterId(params)),
        context.options.logsRangeMax,
        expired,
      ),
  }),
  method({
    name: 'eth_uninstallFilter',
    summary: 'Removes a filter',
    params: { filterId: 'FilterId' },
    result: 'Boolean',
    handle: ({ params }, { filters }) => filters.uninstall(filterId(params)),
  }),
]
