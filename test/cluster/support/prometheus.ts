import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import { freePorts } from '../../../runtime/devnet/ports.ts'
import { until } from './waiting.ts'

const isThere = (program: string): boolean =>
  spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0

/** Why a test with Prometheus is left out; undefined where both programs are installed. */
export const missingPrometheus: string | undefined =
  isThere('prometheus') && isThere('promtool')
    ? undefined
    : 'prometheus and promtool are not installed (Debian package prometheus)'

/** Runs promtool with an input; gives its exit code and what it wrote. */
export const promtool = (
  args: readonly string[],
  input = '',
): { readonly code: number; readonly text: string } => {
  const { status, stdout, stderr } = spawnSync('promtool', [...args], { input, encoding: 'utf8' })
  return { code: status ?? -1, text: `${stdout}${stderr}` }
}

export type Series = {
  readonly metric: Readonly<Record<string, string>>
  readonly value: readonly [number, string]
}

export type Alert = {
  readonly state: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

export type Prometheus = {
  readonly query: (expression: string) => Promise<readonly Series[]>
  readonly firing: () => Promise<readonly Alert[]>
  readonly end: () => Promise<void>
}

/** Starts a Prometheus that reads the targets every second; its files stand in the folder. */
export const startPrometheus = async (
  folder: string,
  targets: readonly string[],
  rules: string,
): Promise<Prometheus> => {
  mkdirSync(folder, { recursive: true })
  const rulesFile = join(folder, 'alerts.yml')
  const configFile = join(folder, 'prometheus.yml')
  writeFileSync(rulesFile, rules)
  writeFileSync(
    configFile,
    `global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }
rule_files: ['${rulesFile}']
scrape_configs:
  - job_name: quorate
    static_configs:
      - targets: [${targets.map(target => `'${target}'`).join(', ')}]
`,
  )
  const [port] = await freePorts(1)
  const url = `http://127.0.0.1:${port}`
  const child: Subprocess = Bun.spawn(
    [
      'prometheus',
      `--config.file=${configFile}`,
      `--storage.tsdb.path=${join(folder, 'tsdb')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdout: 'ignore', stderr: 'ignore' },
  )
  const get = async <T>(path: string): Promise<T> => {
    const response = await fetch(`${url}${path}`)
    const { status, data, error } = (await response.json()) as { status: string; data: T; error?: string }
    if (status !== 'success') throw new Error(`Prometheus: ${error}`)
    return data
  }
  await until('Prometheus', async () => {
    try {
      return (await fetch(`${url}/-/ready`)).ok
    } catch {
      // It does not listen yet.
      return false
    }
  })
  return {
    query: async expression =>
      (await get<{ result: readonly Series[] }>(`/api/v1/query?query=${encodeURIComponent(expression)}`))
        .result,
    firing: async () =>
      (await get<{ alerts: readonly Alert[] }>('/api/v1/alerts')).alerts.filter(
        ({ state }) => state === 'firing',
      ),
    end: async () => {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}
