import { type Panel, PANEL_ROWS } from './panels.ts'

/** Grafana's grid has 24 columns: three panels beside each other. */
const PANEL_WIDTH = 8
const PANEL_HEIGHT = 7
const COLUMNS = 24

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' }

const panelJson = ({ title, unit, queries }: Panel, id: number, x: number, y: number): object => ({
  id,
  type: 'timeseries',
  title,
  datasource: DATASOURCE,
  gridPos: { x, y, w: PANEL_WIDTH, h: PANEL_HEIGHT },
  fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
  options: { legend: { displayMode: 'list', placement: 'bottom', showLegend: true } },
  targets: queries.map(({ expression, legend }, index) => ({
    refId: String.fromCodePoint(('A'.codePointAt(0) as number) + index),
    datasource: DATASOURCE,
    expr: expression,
    legendFormat: legend,
    editorMode: 'code',
    range: true,
  })),
})

const variable = (name: string, label: string, definition: string): object => ({
  name,
  label,
  type: 'query',
  datasource: DATASOURCE,
  definition,
  query: { query: definition, refId: name },
  multi: true,
  includeAll: true,
  allValue: '.*',
  current: { text: 'All', value: '$__all' },
  refresh: 2,
  sort: 1,
})

const panelsJson = (): readonly object[] => {
  const panels: object[] = []
  let y = 0
  for (const { title, panels: ofRow } of PANEL_ROWS) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
    })
    y++
    ofRow.forEach((panel, index) => {
      const x = (index * PANEL_WIDTH) % COLUMNS
      if (index > 0 && x === 0) y += PANEL_HEIGHT
      panels.push(panelJson(panel, panels.length + 1, x, y))
    })
    y += PANEL_HEIGHT
  }
  return panels
}

/** A dashboard for Grafana 10 and newer, to be imported as it is. */
export const dashboardJson = (): string =>
  JSON.stringify(
    {
      title: 'Quorate',
      uid: 'quorate',
      tags: ['quorate', 'qbft'],
      schemaVersion: 39,
      editable: true,
      refresh: '10s',
      time: { from: 'now-1h', to: 'now' },
      templating: {
        list: [
          { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus', current: {} },
          variable('job', 'Job', 'label_values(ethereum_blockchain_height, job)'),
          variable('instance', 'Node', 'label_values(ethereum_blockchain_height{job=~"$job"}, instance)'),
        ],
      },
      panels: panelsJson(),
    },
    undefined,
    2,
  )
