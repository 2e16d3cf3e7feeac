; The counter's setup for Windows: installs, enrols, upgrades in place, uninstalls.
; Made by installers/dist.sh, which defines VERSION, PROGRAM (galla-edge.exe), SETTINGS
; (edge.toml as it is handed out), ART (the folder of galla.ico and side.bmp), COMPRESSOR, OUT and SIGN (what signs the uninstaller). Names and
; folders are those of galla/installers; its tests compare them.
;
; Silent: setup.exe /S [/ENROL=file] [/ALLOWOLDER]; uninstall.exe /S [/EVENUNFINISHED]
; [_?=folder of it, last: then it runs where it lies, and its exit code is that of the
; uninstalling]. The file has a section [enrol] with central, code, name, agent, pin,
; aadhaar, latitude and longitude; it is removed once it is read.
;
; The settings lie beside the program and not in the data folder, where the service
; may write: it must not choose whose releases it believes. edge.default.toml is the
; file as it was handed out: where edge.toml is the same nobody has changed it, and
; an upgrade replaces it.
;
; Exit codes: 0; 2 nothing was changed (a newer counter is installed, for one); 3 not
; uninstalled (operations have no outcome), or not enrolled; 4 the counter did not
; start, and an upgrade was taken back; 5 the service or its folder could not be made.

Unicode true
Target amd64-unicode
SetCompressor /SOLID ${COMPRESSOR}
Name "Galla counter"
OutFile "${OUT}"
!uninstfinalize '"${SIGN}" "%1"' = 0
RequestExecutionLevel admin
InstallDir "$PROGRAMFILES64\Galla"
ShowInstDetails show
BrandingText "Galla ${VERSION}"

VIProductVersion "${NUMERIC}.0"
; Windows shows these to whoever asks for the file's properties.
VIAddVersionKey ProductName "Galla counter"
VIAddVersionKey ProductVersion "${VERSION}"
VIAddVersionKey FileVersion "${VERSION}"
VIAddVersionKey FileDescription "Galla counter setup"
VIAddVersionKey LegalCopyright "Galla"

!include MUI2.nsh
!include nsDialogs.nsh
!include LogicLib.nsh
!include FileFunc.nsh
!include TextFunc.nsh
!include x64.nsh

!define SERVICE "galla-edge"
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\Galla"
!define ENVIRONMENT "SYSTEM\CurrentControlSet\Control\Session Manager\Environment"
; What galla-edge unfinished ends with where operations have no outcome yet.
!define UNFINISHED 3
; What galla-edge compare-version VERSION ends with where it is older than that version.
!define OLDER 4

Var Data
Var Central
Var Code
Var CounterName
Var Agent
Var Pin
Var Aadhaar
Var Latitude
Var Longitude
Var Enrolled
Var Upgrading
Var AllowOlder
Var Unchanged
Var Link ; under which browsers open the counter; empty: not known
Var Runs ; 1: the counter was started
Var Why ; or why not, for the last page

Var FieldCentral
Var FieldCode
Var FieldName
Var FieldAgent
Var FieldPin
Var FieldAadhaar
Var FieldLatitude
Var FieldLongitude

!define MUI_ABORTWARNING
!define MUI_ICON "${ART}/galla.ico"
!define MUI_UNICON "${ART}/galla.ico"
!define MUI_WELCOMEFINISHPAGE_BITMAP "${ART}/side.bmp"
!define MUI_WELCOMEPAGE_TEXT "This installs the Galla counter ${VERSION} on this computer, or brings the one that is here up to it. What the counter has written down stays.$\r$\n$\r$\nTo enrol the counter have at hand: the address of the central, the one-time code, and the agent's name and Aadhaar number. The agent chooses a PIN.$\r$\n$\r$\nClick Next to go on."
!define MUI_FINISHPAGE_TEXT_LARGE
!define MUI_FINISHPAGE_TEXT "$Why"
!define MUI_FINISHPAGE_RUN
!define MUI_FINISHPAGE_RUN_TEXT "Open the counter"
!define MUI_FINISHPAGE_RUN_FUNCTION openCounter

!insertmacro MUI_PAGE_WELCOME
Page custom askEnrolment takeEnrolment
!insertmacro MUI_PAGE_INSTFILES
!define MUI_PAGE_CUSTOMFUNCTION_SHOW showFinish
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"

; Whether two files are the same, line by line: UNCHANGED is set to 1.
!macro compare FIRST SECOND
	StrCpy $Unchanged 0
	${If} ${FileExists} "${FIRST}"
	${AndIf} ${FileExists} "${SECOND}"
		FileOpen $R1 "${FIRST}" r
		FileOpen $R2 "${SECOND}" r
		${Do}
			ClearErrors
			FileRead $R1 $R3
			FileRead $R2 $R4 ; at the end of either it is empty
			${If} $R3 S!= $R4
				${ExitDo}
			${ElseIf} $R3 == ""
				StrCpy $Unchanged 1
				${ExitDo}
			${EndIf}
		${Loop}
		FileClose $R1
		FileClose $R2
	${EndIf}
!macroend

!macro folders
	${IfNot} ${RunningX64}
		MessageBox MB_ICONSTOP "The counter needs a 64-bit Windows." /SD IDOK
		SetErrorLevel 2
		Quit
	${EndIf}
	SetRegView 64
	SetShellVarContext all
	StrCpy $Data "$APPDATA\Galla" ; of all users: %ProgramData%
!macroend

Function .onInit
	!insertmacro folders
	StrCpy $Runs 0
	StrCpy $Enrolled 0
	${If} ${FileExists} "$Data\edge\settings.sealed"
		StrCpy $Enrolled 1
	${EndIf}
	${GetParameters} $R0
	StrCpy $AllowOlder 0
	ClearErrors
	${GetOptions} $R0 "/ALLOWOLDER" $R1
	${IfNot} ${Errors}
		StrCpy $AllowOlder 1
	${EndIf}
	; A file, since options can't hold a slash, and the arguments of a program can be
	; read by others.
	ClearErrors
	${GetOptions} $R0 "/ENROL=" $R1
	${IfNot} ${Errors}
		${IfNot} ${FileExists} "$R1"
			MessageBox MB_ICONSTOP "There is no file $R1; nothing was changed." /SD IDOK
			SetErrorLevel 2
			Quit
		${EndIf}
		ReadINIStr $Central "$R1" "enrol" "central"
		ReadINIStr $Code "$R1" "enrol" "code"
		ReadINIStr $CounterName "$R1" "enrol" "name"
		ReadINIStr $Agent "$R1" "enrol" "agent"
		ReadINIStr $Pin "$R1" "enrol" "pin"
		ReadINIStr $Aadhaar "$R1" "enrol" "aadhaar"
		ReadINIStr $Latitude "$R1" "enrol" "latitude"
		ReadINIStr $Longitude "$R1" "enrol" "longitude"
		Delete "$R1"
	${EndIf}
	ClearErrors
FunctionEnd

Function un.onInit
	!insertmacro folders
FunctionEnd

; The page of the one-time code: only where this computer is not enrolled yet.
Function askEnrolment
	${If} $Enrolled = 1
		Abort
	${EndIf}
	!insertmacro MUI_HEADER_TEXT "Enrol this counter" "The code is shown once by whoever runs the central, and is good for 15 minutes. It can be left empty, and done later."
	nsDialogs::Create 1018
	Pop $0
	${NSD_CreateLabel} 0 2u 34% 10u "Address of the central"
	Pop $0
	${NSD_CreateText} 36% 0 64% 12u "https://"
	Pop $FieldCentral
	${NSD_CreateLabel} 0 20u 34% 10u "One-time code"
	Pop $0
	${NSD_CreatePassword} 36% 18u 64% 12u ""
	Pop $FieldCode
	${NSD_CreateLabel} 0 38u 34% 10u "Name of this counter"
	Pop $0
	${NSD_CreateText} 36% 36u 64% 12u "Counter 1"
	Pop $FieldName
	${NSD_CreateLabel} 0 56u 34% 10u "Agent's name"
	Pop $0
	${NSD_CreateText} 36% 54u 64% 12u ""
	Pop $FieldAgent
	${NSD_CreateLabel} 0 74u 34% 10u "Agent's new PIN"
	Pop $0
	${NSD_CreatePassword} 36% 72u 64% 12u ""
	Pop $FieldPin
	${NSD_CreateLabel} 0 92u 34% 10u "Agent's Aadhaar number"
	Pop $0
	${NSD_CreatePassword} 36% 90u 64% 12u ""
	Pop $FieldAadhaar
	; The banks want it with every operation.
	${NSD_CreateLabel} 0 110u 34% 10u "Latitude and longitude"
	Pop $0
	${NSD_CreateText} 36% 108u 30% 12u ""
	Pop $FieldLatitude
	${NSD_CreateText} 70% 108u 30% 12u ""
	Pop $FieldLongitude
	${NSD_CreateLabel} 36% 123u 64% 10u "where the shop stands, such as 18.5204 and 73.8567"
	Pop $0
	${NSD_SetFocus} $FieldCentral
	nsDialogs::Show
FunctionEnd

Function takeEnrolment
	${NSD_GetText} $FieldCentral $Central
	${NSD_GetText} $FieldCode $Code
	${NSD_GetText} $FieldName $CounterName
	${NSD_GetText} $FieldAgent $Agent
	${NSD_GetText} $FieldPin $Pin
	${NSD_GetText} $FieldAadhaar $Aadhaar
	${NSD_GetText} $FieldLatitude $Latitude
	${NSD_GetText} $FieldLongitude $Longitude
	${If} $Code != ""
		${If} $Agent == ""
		${OrIf} $Pin == ""
		${OrIf} $Aadhaar == ""
		${OrIf} $Latitude == ""
		${OrIf} $Longitude == ""
			MessageBox MB_ICONEXCLAMATION "To enrol this counter, fill in every field; or leave the code empty, and enrol it later."
			Abort
		${EndIf}
	${EndIf}
FunctionEnd

; What was typed goes to the program through files in a folder that is removed
; with this setup, never through its command line, which every user can read.
!macro hand FILE TEXT
	FileOpen $0 "${FILE}" w
	FileWrite $0 "${TEXT}"
	FileClose $0
!macroend

; Puts the program back that was here before, and starts it.
Function takeBack
	${If} $Upgrading = 1
		Delete "$INSTDIR\galla-edge.exe"
		Rename "$INSTDIR\galla-edge.previous.exe" "$INSTDIR\galla-edge.exe"
		${If} ${FileExists} "$INSTDIR\edge.previous.toml" ; it may not know what the new file sets
			Delete "$INSTDIR\edge.toml"
			Rename "$INSTDIR\edge.previous.toml" "$INSTDIR\edge.toml"
			CopyFiles /SILENT "$INSTDIR\edge.toml" "$INSTDIR\edge.default.toml"
		${EndIf}
		nsExec::ExecToLog '"$INSTDIR\galla-edge.exe" --data "$Data" service start'
		Pop $0
	${EndIf}
FunctionEnd

; Ends the setup where the program that is here is newer than its own: an older one
; may not know what the newer has written.
Function refuseOlder
	nsExec::ExecToStack '"$INSTDIR\galla-edge.exe" --version'
	Pop $0
	Pop $1
	${TrimNewLines} "$1" $1
	${If} $0 != 0 ; one that does not run can't be newer
		Return
	${EndIf}
	nsExec::ExecToStack '"$INSTDIR\galla-edge.new.exe" compare-version "$1"'
	Pop $0
	Pop $2
	${If} $0 = ${OLDER}
	${AndIf} $AllowOlder = 0
		Delete "$INSTDIR\galla-edge.new.exe"
		MessageBox MB_ICONSTOP "This computer has the counter $1, and this setup brings ${VERSION}, which is older. Nothing was changed.$\n$\nStart a setup of $1 or later. Where the older counter is wanted all the same, start this setup with /ALLOWOLDER." /SD IDOK
		SetErrorLevel 2
		Abort "The counter that is installed is newer ($1); nothing was changed"
	${EndIf}
FunctionEnd

; Ends the setup where the counter's files can't be read by the program that it
; brings: they were written by a newer one.
Function refuseUnreadable
	nsExec::ExecToLog '"$INSTDIR\galla-edge.new.exe" --data "$Data" unfinished'
	Pop $0
	${If} $0 != 0
	${AndIf} $0 <> ${UNFINISHED}
		Delete "$INSTDIR\galla-edge.new.exe"
		nsExec::ExecToLog '"$INSTDIR\galla-edge.exe" --data "$Data" service start'
		Pop $0
		MessageBox MB_ICONSTOP "The counter's files can't be read by ${VERSION}: the lines above say why. Nothing was changed, and the counter that was installed runs on." /SD IDOK
		SetErrorLevel 2
		Abort "The counter's files can't be read by ${VERSION}; nothing was changed"
	${EndIf}
FunctionEnd

; Opens the counter's first page.
!macro shortcut FILE
	WriteINIStr "${FILE}" "InternetShortcut" "URL" "$Link"
	WriteINIStr "${FILE}" "InternetShortcut" "IconFile" "$INSTDIR\galla.ico"
	WriteINIStr "${FILE}" "InternetShortcut" "IconIndex" "0"
!macroend

Section "Galla counter"
	SectionIn RO
	SetOutPath "$INSTDIR"
	StrCpy $Upgrading 0
	; Unpacked first: until it is there, the old one runs.
	File "/oname=galla-edge.new.exe" "${PROGRAM}"
	${If} ${FileExists} "$INSTDIR\galla-edge.exe"
		Call refuseOlder
		; The queue stays where it is; what is under way is written down first.
		DetailPrint "Stopping the counter"
		nsExec::ExecToLog '"$INSTDIR\galla-edge.exe" --data "$Data" service stop'
		Pop $0
		${If} $AllowOlder = 1
			Call refuseUnreadable
		${EndIf}
		Delete "$INSTDIR\galla-edge.previous.exe"
		ClearErrors
		Rename "$INSTDIR\galla-edge.exe" "$INSTDIR\galla-edge.previous.exe"
		${If} ${Errors}
			Delete "$INSTDIR\galla-edge.new.exe"
			MessageBox MB_ICONSTOP "galla-edge.exe is in use. Close it and start this setup again; nothing was changed." /SD IDOK
			SetErrorLevel 2
			Abort "galla-edge.exe is in use"
		${EndIf}
		StrCpy $Upgrading 1
	${EndIf}
	Rename "$INSTDIR\galla-edge.new.exe" "$INSTDIR\galla-edge.exe"
	!insertmacro compare "$INSTDIR\edge.toml" "$INSTDIR\edge.default.toml"
	File "/oname=edge.default.toml" "${SETTINGS}"
	Delete "$INSTDIR\edge.previous.toml"
	${If} $Unchanged = 1
		Rename "$INSTDIR\edge.toml" "$INSTDIR\edge.previous.toml"
	${EndIf}
	${IfNot} ${FileExists} "$INSTDIR\edge.toml"
		File "/oname=edge.toml" "${SETTINGS}"
	${Else}
		DetailPrint "$INSTDIR\edge.toml was changed by hand and stays; edge.default.toml is the one of ${VERSION}"
	${EndIf}
	; It also closes the data folder to other users, before anything is in it.
	nsExec::ExecToStack '"$INSTDIR\galla-edge.exe" --data "$Data" --config "$INSTDIR\edge.toml" service install'
	Pop $0
	Pop $1
	${TrimNewLines} "$1" $1
	DetailPrint "$1"
	${If} $0 != 0
		StrCpy $Why "The counter was not installed:$\r$\n$\r$\n$1"
		Call takeBack
		; A silent setup shows nothing.
		FileOpen $2 "$TEMP\galla-setup.txt" w
		FileWrite $2 "$Why$\r$\n"
		FileClose $2
		MessageBox MB_ICONSTOP "$Why" /SD IDOK
		SetErrorLevel 5
		Abort "The service or its folder could not be made"
	${EndIf}
	WriteRegExpandStr HKLM "${ENVIRONMENT}" "GALLA_DATA" "$Data"
	WriteRegExpandStr HKLM "${ENVIRONMENT}" "GALLA_CONFIG" "$INSTDIR\edge.toml"
	SendMessage ${HWND_BROADCAST} ${WM_SETTINGCHANGE} 0 "STR:Environment" /TIMEOUT=2000

	StrCpy $Why "The counter is installed, and not enrolled yet: start this setup again with a one-time code."
	${If} $Enrolled = 0
	${AndIf} $Code != ""
	${AndIf} "$Latitude$Longitude" == ""
		StrCpy $Why "The counter is installed, and not enrolled: it is not said where it stands (latitude, longitude)."
		DetailPrint "$Why"
		SetErrorLevel 3
	${ElseIf} $Enrolled = 0
	${AndIf} $Code != ""
		DetailPrint "Enrolling this counter"
		InitPluginsDir
		!insertmacro hand "$PLUGINSDIR\code" "$Code"
		!insertmacro hand "$PLUGINSDIR\pin" "$Pin"
		!insertmacro hand "$PLUGINSDIR\aadhaar" "$Aadhaar"
		StrCpy $Code ""
		StrCpy $Pin ""
		StrCpy $Aadhaar ""
		nsExec::ExecToStack '"$INSTDIR\galla-edge.exe" --data "$Data" enrol --central "$Central" --name "$CounterName" --agent-name "$Agent" --latitude "$Latitude" --longitude "$Longitude" --code-file "$PLUGINSDIR\code" --agent-pin-file "$PLUGINSDIR\pin" --agent-aadhaar-file "$PLUGINSDIR\aadhaar"'
		Pop $0
		Pop $1
		${TrimNewLines} "$1" $1
		DetailPrint "$1"
		StrCpy $2 $1 12
		${If} $2 == "galla-edge: "
			StrCpy $1 $1 "" 12
		${EndIf}
		Delete "$PLUGINSDIR\code"
		Delete "$PLUGINSDIR\pin"
		Delete "$PLUGINSDIR\aadhaar"
		${If} $0 != 0
			StrCpy $Why "The counter is installed, and not enrolled:$\r$\n$\r$\n$1$\r$\n$\r$\nStart this setup again. A code that was not taken may be used again, until it ends."
			SetErrorLevel 3
		${Else}
			StrCpy $Enrolled 1
		${EndIf}
	${EndIf}

	${If} $Enrolled = 1
		nsExec::ExecToLog '"$INSTDIR\galla-edge.exe" --data "$Data" service start'
		Pop $0
		${If} $0 = 0
			StrCpy $Runs 1
			StrCpy $Why "The counter is installed and runs. It is opened by the sign on the desktop."
		${Else}
			SetErrorLevel 4
			${If} $Upgrading = 1
				Call takeBack
				MessageBox MB_ICONEXCLAMATION "The new counter did not start, and the old one is back. $Data\edge\edge.log says why." /SD IDOK
				Abort "The new counter did not start"
			${EndIf}
			StrCpy $Why "The counter is installed, and did not start. $Data\edge\edge.log says why."
		${EndIf}
	${EndIf}

	Delete "$INSTDIR\edge.previous.toml"
	File "${ART}/galla.ico"
	; The counter's address has a name that only this computer knows; whoever may use
	; this computer may read it here.
	StrCpy $Link ""
	nsExec::ExecToLog '"$INSTDIR\galla-edge.exe" --data "$Data" --config "$INSTDIR\edge.toml" open --out "$PLUGINSDIR\link"'
	Pop $0
	ClearErrors
	FileOpen $1 "$PLUGINSDIR\link" r ; what a program prints may be lost on a busy machine
	FileRead $1 $Link
	FileClose $1
	${If} $0 = 0
	${AndIf} $Link != ""
		!insertmacro shortcut "$DESKTOP\Galla.url"
		!insertmacro shortcut "$SMPROGRAMS\Galla.url"
	${Else}
		DetailPrint "No shortcut was made: the counter's link is not known"
		StrCpy $Link ""
	${EndIf}
	WriteUninstaller "$INSTDIR\uninstall.exe"
	WriteRegStr HKLM "${UNINSTALL}" "DisplayName" "Galla counter"
	WriteRegStr HKLM "${UNINSTALL}" "DisplayVersion" "${VERSION}"
	WriteRegStr HKLM "${UNINSTALL}" "DisplayIcon" "$INSTDIR\galla.ico"
	WriteRegStr HKLM "${UNINSTALL}" "Publisher" "Galla"
	WriteRegStr HKLM "${UNINSTALL}" "InstallLocation" "$INSTDIR"
	WriteRegStr HKLM "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
	WriteRegStr HKLM "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
	WriteRegDWORD HKLM "${UNINSTALL}" "NoModify" 1
	WriteRegDWORD HKLM "${UNINSTALL}" "NoRepair" 1
SectionEnd

; What does not run can't be opened: why it does not has the place.
Function showFinish
	${If} $Runs = 0
		${NSD_Uncheck} $mui.FinishPage.Run
		ShowWindow $mui.FinishPage.Run ${SW_HIDE}
		System::Call '*(i, i, i, i) p .r1'
		System::Call 'user32::GetClientRect(p $mui.FinishPage.Text, p r1)'
		System::Call '*$1(i, i, i .r2, i .r3)'
		System::Free $1
		IntOp $3 $3 * 2
		System::Call 'user32::SetWindowPos(p $mui.FinishPage.Text, p 0, i 0, i 0, i r2, i r3, i 0x16)' ; its size alone
	${EndIf}
FunctionEnd

Function openCounter
	${If} $Link != ""
		ExecShell "open" "$Link"
	${EndIf}
FunctionEnd

Section "Uninstall"
	nsExec::ExecToLog '"$INSTDIR\galla-edge.exe" --data "$Data" service stop'
	Pop $0
	nsExec::ExecToStack '"$INSTDIR\galla-edge.exe" --data "$Data" unfinished'
	Pop $0
	Pop $2
	DetailPrint "$2"
	${If} $0 != 0
		${GetParameters} $R0
		ClearErrors
		${GetOptions} $R0 "/EVENUNFINISHED" $R1
		${If} ${Errors}
			${If} $0 = ${UNFINISHED}
				StrCpy $1 "Operations of this counter have no outcome yet:$\n$\n$2$\nTheir customers can't be told here what became of their money once it is uninstalled."
			${Else}
				StrCpy $1 "Whether operations of this counter have no outcome yet could not be found out:$\n$\n$2"
			${EndIf}
			MessageBox MB_YESNO|MB_ICONEXCLAMATION|MB_DEFBUTTON2 "$1$\n$\nUninstall all the same? The data stays in $Data." /SD IDNO IDYES go
			nsExec::ExecToLog '"$INSTDIR\galla-edge.exe" --data "$Data" service start'
			Pop $0
			SetErrorLevel ${UNFINISHED}
			Abort "Not uninstalled; the counter runs on"
			go:
		${EndIf}
	${EndIf}
	nsExec::ExecToLog '"$INSTDIR\galla-edge.exe" --data "$Data" service uninstall'
	Pop $0
	Delete "$DESKTOP\Galla.url"
	Delete "$SMPROGRAMS\Galla.url"
	Delete "$INSTDIR\galla-edge.exe"
	Delete "$INSTDIR\galla-edge.previous.exe"
	; Settings that were changed by hand stay, as the data does.
	!insertmacro compare "$INSTDIR\edge.toml" "$INSTDIR\edge.default.toml"
	${If} $Unchanged = 1
		Delete "$INSTDIR\edge.toml"
	${EndIf}
	Delete "$INSTDIR\edge.default.toml"
	Delete "$INSTDIR\edge.previous.toml"
	Delete "$INSTDIR\galla.ico"
	Delete "$INSTDIR\uninstall.exe"
	RMDir "$INSTDIR"
	DeleteRegValue HKLM "${ENVIRONMENT}" "GALLA_DATA"
	DeleteRegValue HKLM "${ENVIRONMENT}" "GALLA_CONFIG"
	DeleteRegKey HKLM "${UNINSTALL}"
	; The data stays: whoever removes it must know that nothing in it is needed.
SectionEnd
