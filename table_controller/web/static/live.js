// The live feed: a snapshot, then every event with its number; reconnects from where it stopped.

const STALE_AFTER_MS = 2000;
const LONGEST_WAIT_MS = 5000;

export class Live {
  constructor({ onView, onStatus, onEvent, onStale }) {
    Object.assign(this, { onView, onStatus, onEvent, onStale });
    this.game = null;
    this.next = null;
    this.heardAt = performance.now();
    this.wait = 250;
    this.stale = false;
    setInterval(() => this.checkStale(), 250);
    this.connect();
  }

  connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const from = this.game === null ? "" : `?game=${this.game}&from=${this.next}`;
    this.socket = new WebSocket(`${scheme}://${location.host}/api/v1/live${from}`);
    this.socket.onmessage = (message) => this.hear(JSON.parse(message.data));
    this.socket.onclose = () => {
      setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(this.wait * 2, LONGEST_WAIT_MS);
    };
  }

  hear(message) {
    this.heardAt = performance.now();
    this.wait = 250;
    this.checkStale();
    if (message.type === "event") {
      this.game = message.game;
      this.next = message.number + 1;
      if (message.event) this.onEvent(message.event, message.number);
      if (message.view) this.onView(message.view);
    } else if (message.type === "snapshot") {
      this.game = message.game;
      this.next = message.next;
      this.onView(message.view);
    } else if (message.type === "status") {
      const { machine, paused, calling } = message;
      this.onStatus({ machine, paused, calling });
    }
  }

  checkStale() {
    const silent = performance.now() - this.heardAt;
    const stale = silent > STALE_AFTER_MS;
    if (stale || this.stale) this.onStale(stale, Math.floor(silent / 1000));
    this.stale = stale;
  }
}
