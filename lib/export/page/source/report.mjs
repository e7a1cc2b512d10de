import { byId } from './dom.mjs'
import { Flame } from './charts/flame.mjs'

// The script of reports that are files: it draws the flame graph whose data the file contains.
const flame = new Flame('Flame graph')
byId('flame').replaceChildren(flame.element)
flame.draw(JSON.parse(byId('data').textContent))
