import type { CommandContext } from '../../cli/command.ts'
import type { AlertsOptions, DashboardOptions } from './metricsCommands.ts'
import { alertsYaml } from '../../metrics/alerts.ts'
import { dashboardJson } from '../../metrics/dashboard.ts'
import { writeResult } from '../result.ts'

/** Writes the dashboard for Grafana. */
export const writeDashboard = async ({
  options,
  terminal,
}: CommandContext<DashboardOptions>): Promise<number> => writeResult(options.to, terminal, dashboardJson())

/** Writes the alert rules for Prometheus. */
export const writeAlerts = async ({ options, terminal }: CommandContext<AlertsOptions>): Promise<number> => {
  const { job, silentSeconds, to } = options
  return writeResult(to, terminal, alertsYaml({ job, silentSeconds }))
}
