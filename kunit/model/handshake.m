-- SPDX-License-Identifier: GPL-2.0
--
-- The freshness handshake of protocol.md, section 7, between two ends that are reset at any time,
-- in a network that belongs to an intruder without the key.
--
-- The network is the set of all frames that were ever sent. Each may arrive at any time, as often
-- as the intruder likes, or never: so it loses, delays, repeats and reorders. It cannot make
-- frames, because each has a tag under K_HS. Nonces and shares are numbers: an end draws new ones
-- in each life. A key is named by what enters its derivation.
--
-- FAULT seeds an error that the model must find; `verify` lists them.
--
-- EAGER sends each frame as soon as it can be sent, for a larger model. Its claims about keys lose
-- nothing: no rule asks whether a frame is absent, so that whatever can happen without a frame can
-- happen with it, too. The liveness is weaker, because no frame of an earlier life is missing.
-- Faults 7 and 8, by which a HELLO changes its responder, are left out.

const
	LIVES: 2;
	FAULT: 0;
	EAGER: 0;

type
	end_t: enum { A, B };
	life_t: 1 .. LIVES;
	-- nonces, and shares: of A's lives, then of B's
	draw_t: 1 .. 2 * LIVES;
	maybe_t: 0 .. 2 * LIVES;	-- 0: none
	-- whether a key: n_q; n_r; share of the requester; share of the responder
	key_t: array [draw_t] of array [draw_t] of array [draw_t] of array [draw_t] of boolean;
	frame_t: enum { HELLO_ACK, CONFIRM, CONFIRM_ACK };
	requester_t: enum { SEND_HELLO, SEND_CONFIRM, READY };
	responder_t: enum { LISTEN, CONFIRMED };

var
	life: array [end_t] of life_t;
	agreed: array [end_t] of maybe_t;	-- share of the peer for which Z is known
	-- as the requester of the own flow
	req: array [end_t] of requester_t;
	req_nr: array [end_t] of maybe_t;
	req_share: array [end_t] of maybe_t;	-- fault 2 only: of the responder
	-- as the responder of the peer's flow
	resp: array [end_t] of responder_t;
	resp_nq: array [end_t] of maybe_t;
	resp_share: array [end_t] of maybe_t;	-- fault 8 only: of the last HELLO
	-- frames that were sent: flow, by its requester; n_q; n_r; share of the sender
	hello: array [end_t] of array [draw_t] of array [draw_t] of boolean;
	sent: array [end_t] of array [frame_t] of array [draw_t] of array [draw_t] of
		array [draw_t] of boolean;
	-- keys that were derived: flow; n_q; n_r; both shares
	asked: array [end_t] of key_t;
	by_requester: array [end_t] of key_t;
	by_responder: array [end_t] of key_t;

function other(e: end_t): end_t;
begin
	return e = A ? B : A;
end;

function drawn(e: end_t; in_life: life_t): draw_t;
begin
	return e = A ? in_life : LIVES + in_life;
end;

-- The share of an end, and its nonces, which it draws at the same times
function share_of(e: end_t): draw_t;
begin
	return drawn(e, FAULT = 4 | FAULT = 5 ? 1 : life[e]);
end;

function nq_of(e: end_t): draw_t;
begin
	return drawn(e, FAULT = 4 ? 1 : life[e]);
end;

function nr_of(e: end_t): draw_t;
begin
	return drawn(e, FAULT = 5 ? 1 : life[e]);
end;

procedure begin_life(e: end_t);
begin
	agreed[e] := 0;
	req[e] := SEND_HELLO;
	req_nr[e] := 0;
	req_share[e] := 0;
	resp[e] := LISTEN;
	resp_nq[e] := 0;
	resp_share[e] := 0;
end;

-- Requester: what its timer sends
function sends_hello(e: end_t): boolean;
begin
	return req[e] = SEND_HELLO | req[e] = SEND_CONFIRM;
end;

procedure send_hello(e: end_t);
begin
	hello[e][nq_of(e)][share_of(e)] := true;
end;

procedure send_confirm(e: end_t);
begin
	sent[e][CONFIRM][nq_of(e)][req_nr[e]][share_of(e)] := true;
end;

-- Responder of the flow of e: what it answers
function takes(e: end_t; nq: draw_t; s: draw_t): boolean;
begin
	return (resp[other(e)] = LISTEN | resp_nq[other(e)] = nq) &
		(agreed[other(e)] = 0 | agreed[other(e)] = s);
end;

function takes_hello(e: end_t; nq: draw_t; s: draw_t): boolean;
begin
	return hello[e][nq][s] & takes(e, nq, s);
end;

function takes_confirm(e: end_t; nq: draw_t; nr: draw_t; s: draw_t): boolean;
begin
	return sent[e][CONFIRM][nq][nr][s] & (nr = nr_of(other(e)) | FAULT = 1) & takes(e, nq, s);
end;

procedure answer_hello(e: end_t; nq: draw_t);
begin
	sent[e][HELLO_ACK][nq][nr_of(other(e))][share_of(other(e))] := true;
end;

procedure answer_confirm(e: end_t; nq: draw_t; nr: draw_t);
begin
	sent[e][CONFIRM_ACK][nq][nr][share_of(other(e))] := true;
end;

-- With EAGER: send what can be sent and changes no end
procedure send_all();
begin
	if EAGER = 1 then
		for e: end_t do
			if sends_hello(e) then send_hello(e); end;
			if req[e] = SEND_CONFIRM then send_confirm(e); end;
			for q: draw_t do for s: draw_t do
				if takes_hello(e, q, s) then answer_hello(e, q); end;
				for r: draw_t do
					if resp[other(e)] = CONFIRMED & takes_confirm(e, q, r, s) then
						answer_confirm(e, q, r);
					end;
				end;
			end; end;
		end;
	end;
end;

startstate
begin
	for e: end_t do
		life[e] := 1;
		begin_life(e);
		for q: draw_t do for r: draw_t do
			hello[e][q][r] := false;
			for s: draw_t do
				for f: frame_t do
					sent[e][f][q][r][s] := false;
				end;
				for t: draw_t do
					asked[e][q][r][s][t] := false;
					by_requester[e][q][r][s][t] := false;
					by_responder[e][q][r][s][t] := false;
				end;
			end;
		end; end;
	end;
	send_all();
end;

-- With EAGER: forget what no rule and no claim can read, since the end that would read it has
-- new nonces
procedure forget();
begin
	for e: end_t do for q: draw_t do for r: draw_t do for s: draw_t do
		if q != nq_of(e) then
			hello[e][q][s] := false;
			sent[e][HELLO_ACK][q][r][s] := false;
			sent[e][CONFIRM_ACK][q][r][s] := false;
		end;
		if r != nr_of(other(e)) then
			sent[e][CONFIRM][q][r][s] := false;
		end;
		for t: draw_t do
			by_requester[e][q][r][s][t] := by_requester[e][q][r][s][t] & q = nq_of(e);
			by_responder[e][q][r][s][t] := by_responder[e][q][r][s][t] &
				(q = nq_of(e) | r = nr_of(other(e)));
			asked[e][q][r][s][t] := asked[e][q][r][s][t] & r = nr_of(other(e));
		end;
	end; end; end; end;
end;

-- A QP is reset and connected again, with the same GIDs, QPNs, PSNs and key
ruleset e: end_t do
	rule "reset" life[e] < LIVES ==>
	begin
		life[e] := life[e] + 1;
		begin_life(e);
		if EAGER = 1 then
			forget();
			send_all();
		end;
	end;
end;

ruleset e: end_t do
	rule "send HELLO" EAGER = 0 & sends_hello(e) ==>
	begin
		send_hello(e);
	end;

	rule "send CONFIRM" EAGER = 0 & req[e] = SEND_CONFIRM ==>
	begin
		send_confirm(e);
	end;
end;

-- The responder of e's flow derives a key
procedure confirm(e: end_t; nq: draw_t; share: draw_t);
var p: end_t;
begin
	p := other(e);
	resp[p] := CONFIRMED;
	resp_nq[p] := nq;
	agreed[p] := share;
	assert "a key is derived once by a responder"
		!by_responder[e][nq][nr_of(p)][share][share_of(p)];
	by_responder[e][nq][nr_of(p)][share][share_of(p)] := true;
	assert "a responder confirms what a requester asked for"
		asked[e][nq][nr_of(p)][share][share_of(p)];
end;

-- Responder of the flow of e
ruleset e: end_t; nq: draw_t; s: draw_t do
	rule "receive HELLO" EAGER = 0 & takes_hello(e, nq, s) ==>
	begin
		resp_share[other(e)] := FAULT = 8 ? s : 0;
		answer_hello(e, nq);
		if FAULT = 7 then	-- HELLO alone confirms
			confirm(e, nq, s);
		end;
	end;
end;

ruleset e: end_t; nq: draw_t; nr: draw_t; s: draw_t do
	rule "receive CONFIRM" takes_confirm(e, nq, nr, s) ==>
	var p: end_t;
	begin
		p := other(e);
		if resp[p] = LISTEN then
			if FAULT = 8 & resp_share[p] != 0 then
				confirm(e, nq, resp_share[p]);
			else
				confirm(e, nq, s);
			end;
		end;
		answer_confirm(e, nq, nr);
		send_all();
	end;
end;

-- Requester: answers
ruleset e: end_t; nq: draw_t; nr: draw_t; s: draw_t do
	rule "receive HELLO-ACK"
		sent[e][HELLO_ACK][nq][nr][s] & nq = nq_of(e) & (agreed[e] = 0 | agreed[e] = s) &
		(req[e] = SEND_HELLO | (req[e] = SEND_CONFIRM & nr != req_nr[e] & FAULT != 6)) ==>
	begin
		req[e] := SEND_CONFIRM;
		req_nr[e] := nr;
		req_share[e] := FAULT = 2 ? s : 0;
		asked[e][nq_of(e)][nr][share_of(e)][s] := true;
		send_all();
	end;

	rule "receive CONFIRM-ACK"
		sent[e][CONFIRM_ACK][nq][nr][s] & req[e] = SEND_CONFIRM & (nq = nq_of(e) | FAULT = 3) &
		(agreed[e] = 0 | agreed[e] = s) ==>
	var n: draw_t;
	var t: draw_t;
	begin
		-- fault 2: the key is that of the last HELLO-ACK
		n := FAULT = 2 ? req_nr[e] : nr;
		t := FAULT = 2 ? req_share[e] : s;
		req[e] := READY;
		agreed[e] := t;
		assert "a key is derived once by a requester"
			!by_requester[e][nq_of(e)][n][share_of(e)][t];
		by_requester[e][nq_of(e)][n][share_of(e)][t] := true;
		assert "a requester that is ready has a responder with its key"
			by_responder[e][nq_of(e)][n][share_of(e)][t];
		send_all();
	end;
end;

-- Fault 9: the tag does not cover who sends, so that a frame of one flow passes for the other's
ruleset e: end_t; nq: draw_t; nr: draw_t; s: draw_t do
	rule "reflect" FAULT = 9 ==>
	begin
		if hello[e][nq][s] then hello[other(e)][nq][s] := true; end;
		for f: frame_t do
			if sent[e][f][nq][nr][s] then sent[other(e)][f][nq][nr][s] := true; end;
		end;
	end;
end;

-- One end was reset and the other was not, after they had agreed, or after a CONFIRM of the former
-- life was accepted: the connection is dead until both are reset (section 7)
function is_stale(e: end_t): boolean;
begin
	return (agreed[e] != 0 & agreed[e] != share_of(other(e))) |
		(agreed[other(e)] != 0 & agreed[other(e)] != share_of(e)) |
		(resp[other(e)] = CONFIRMED & resp_nq[other(e)] != nq_of(e));
end;

-- From wherever loss and resets have led, there is a way on
liveness "each flow can be confirmed" forall e: end_t do req[e] = READY | is_stale(e) endforall;

-- The model is not empty
cover "both flows are confirmed" req[A] = READY & req[B] = READY;
cover "a second life completes" req[A] = READY & life[A] = 2 & life[B] = 2;
