import { render } from 'preact'
import { App } from './App.tsx'
import { startRouting } from './route.ts'
import { startHeads } from './rpc/heads.ts'
import { startStatus } from './chain/status.ts'
import { applyTheme } from './theme.ts'

applyTheme()
startRouting()
startHeads()
startStatus()
render(<App />, document.querySelector('#app') as HTMLElement)
